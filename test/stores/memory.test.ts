import { memoryArtifactStore, memoryBlobStore, memorySessionStore } from "skillwright";
import { artifactStoreContract, blobStoreContract, sessionStoreContract } from "skillwright/testing";
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
