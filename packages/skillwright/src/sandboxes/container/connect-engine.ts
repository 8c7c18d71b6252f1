import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type Docker from "dockerode";
import { SkillError } from "../../core/index.ts";
import { importPeer } from "../shell/import-peer.ts";

/** A container engine that answers. */
export interface Engine {
  readonly docker: Docker;
  /** `Docker 28.2.2`, `Podman 5.4.0`. */
  readonly name: string;
  readonly address: string;
}

/**
 * Connects to the engine at an address (a socket's path, `unix://...`, `tcp://host:port`), or to the first of the usual ones that answers:
 * `DOCKER_HOST`, `CONTAINER_HOST`, then the sockets of Docker and Podman for the system and for this user.
 * @throws SkillError `peer-missing`, `sandbox-unavailable`
 */
export async function connectEngine(address: string | undefined): Promise<Engine> {
  const { default: DockerClient } = await importPeer("dockerode", () => import("dockerode"));
  const candidates = address === undefined ? usualAddresses() : [address];
  const tried: string[] = [];
  for (const candidate of candidates) {
    const docker = new DockerClient(clientOptions(candidate));
    try {
      const version = await docker.version();
      const podman = version.Components?.some((component) => component.Name.startsWith("Podman")) ?? false;
      return { docker, name: `${podman ? "Podman" : "Docker"} ${version.Version}`, address: candidate };
    } catch (error) {
      tried.push(`${candidate}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const reason = tried.length === 0 ? "no socket was found" : tried.join("; ");
  throw new SkillError("sandbox-unavailable", `No container engine answers: ${reason}.`, {
    hint: "Start Docker or Podman (for Podman: systemctl --user start podman.socket), or name its socket in the options or in DOCKER_HOST.",
  });
}

function usualAddresses(): string[] {
  const runtime = process.env.XDG_RUNTIME_DIR;
  const named = [process.env.DOCKER_HOST, process.env.CONTAINER_HOST].filter((value) => value !== undefined && value !== "");
  const sockets = [
    "/var/run/docker.sock",
    ...(runtime === undefined ? [] : [join(runtime, "docker.sock"), join(runtime, "podman/podman.sock")]),
    join(homedir(), ".docker/run/docker.sock"),
    "/run/podman/podman.sock",
  ];
  return [...(named as string[]), ...sockets.filter((path) => existsSync(path))];
}

function clientOptions(address: string): Docker.DockerOptions {
  if (address.startsWith("unix://")) return { socketPath: address.slice("unix://".length) };
  if (!address.includes("://")) return { socketPath: address };
  const url = new URL(address.replace(/^tcp:/, "http:"));
  return { protocol: url.protocol === "https:" ? "https" : "http", host: url.hostname, port: Number(url.port || 2375) };
}
