import { artifactStoreContract, blobStoreContract, sessionStoreContract } from "skillwright/testing";
import { memoryBlobStore } from "../../packages/skillwright/src/core/index.ts";
import { memoryArtifactStore, memorySessionStore } from "../../packages/skillwright/src/session/index.ts";
import { runContract } from "./run-contract.ts";

runContract("sessions in memory", sessionStoreContract, async () => {
  const store = memorySessionStore();
  return { open: () => store };
});

runContract("artifacts in memory", artifactStoreContract, async () => {
  const store = memoryArtifactStore();
  return { open: () => store };
});

runContract("blobs in memory", blobStoreContract, async () => {
  const store = memoryBlobStore();
  return { open: () => store };
});
