import { type Digest, digestOf } from "../core/index.ts";

/** One version of a file that a run made and a host keeps. */
export interface Artifact {
  readonly name: string;
  /** Starts at 0; a new save of the same name is the next version. */
  readonly version: number;
  readonly mediaType: string;
  readonly bytes: number;
  readonly digest: Digest;
}

/** Where files that runs made outlive their workspace; versioned by name within a session. */
export interface ArtifactStore {
  save(sessionId: string, name: string, data: Uint8Array, options: { readonly mediaType: string }): Promise<Artifact>;
  /** The newest versions, sorted by name. */
  list(sessionId: string): Promise<readonly Artifact[]>;
  /** The bytes of one version; the newest without `version`; undefined where there is none. */
  read(sessionId: string, name: string, version?: number): Promise<{ readonly artifact: Artifact; readonly data: Uint8Array } | undefined>;
  close?(): Promise<void>;
}

/** An {@link ArtifactStore} in memory. */
export function memoryArtifactStore(): ArtifactStore {
  const sessions = new Map<string, Map<string, { artifact: Artifact; data: Uint8Array }[]>>();
  return {
    save: async (sessionId, name, data, { mediaType }) => {
      const kept = data.slice();
      const digest = await digestOf(kept);
      const names = sessions.get(sessionId) ?? new Map();
      sessions.set(sessionId, names);
      const versions = names.get(name) ?? [];
      names.set(name, versions);
      const artifact: Artifact = { name, version: versions.length, mediaType, bytes: kept.byteLength, digest };
      versions.push({ artifact, data: kept });
      return artifact;
    },
    list: async (sessionId) =>
      [...(sessions.get(sessionId)?.values() ?? [])]
        .flatMap((versions) => versions.at(-1)?.artifact ?? [])
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    read: async (sessionId, name, version) => {
      const versions = sessions.get(sessionId)?.get(name);
      const kept = version === undefined ? versions?.at(-1) : versions?.[version];
      return kept && { artifact: kept.artifact, data: kept.data.slice() };
    },
  };
}
