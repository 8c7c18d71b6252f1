/**
 * The contracts of plug-ins as suites of named cases, and doubles to test hosts with: what our own plug-ins are proven by,
 * a third party can prove its own by, under any test runner.
 */
export { artifactStoreContract } from "./artifact-store-contract.ts";
export { blobStoreContract } from "./blob-store-contract.ts";
export type { ContractCase, StoreContext } from "./contract-case.ts";
export { type RegisterTest, registerSandboxContract } from "./register-sandbox-contract.ts";
export { type ContractWorkspaceOptions, type SandboxCase, type SandboxContext, sandboxContract } from "./sandbox-contract.ts";
export { sessionStoreContract } from "./session-store-contract.ts";
