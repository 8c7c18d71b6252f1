/** The engines that a script started, by the variables in which it names their sockets. */
export interface ContainerEngine {
  readonly name: string;
  readonly socket: string | undefined;
  readonly image: string;
  readonly runtime?: string;
  /** Why there is nothing to test, where the socket is missing. */
  readonly missing: string;
}

const hint = "scripts/ci/containers.sh starts the engines and runs these tests";

export const docker: ContainerEngine = {
  name: "Docker",
  socket: process.env.SKILLWRIGHT_DOCKER_SOCKET,
  image: "skillwright-test:debian",
  missing: `SKILLWRIGHT_DOCKER_SOCKET names no socket; ${hint}`,
};

export const podman: ContainerEngine = {
  name: "Podman",
  socket: process.env.SKILLWRIGHT_PODMAN_SOCKET,
  image: "skillwright-test:debian",
  missing: `SKILLWRIGHT_PODMAN_SOCKET names no socket; ${hint}`,
};

/** Newer tools ask gVisor's old release for what it does not know, so it gets the image with older ones. */
export const gvisor: ContainerEngine = {
  name: "gVisor",
  socket: process.env.SKILLWRIGHT_RUNSC_SOCKET,
  image: "skillwright-test:busybox",
  runtime: "runsc",
  missing: `SKILLWRIGHT_RUNSC_SOCKET names no socket; ${hint}`,
};
