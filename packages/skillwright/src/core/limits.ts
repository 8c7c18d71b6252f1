/** Every bound of the library in one table; sizes in bytes, times in milliseconds. */
export interface Limits {
  /** A whole skill folder. @default 64 MiB */
  readonly maxSkillBytes: number;
  /** One SKILL.md. @default 1 MiB */
  readonly maxBodyBytes: number;
  /** The frontmatter block. @default 64 KiB */
  readonly maxFrontmatterBytes: number;
  /** One resource read by the model. @default 1 MiB */
  readonly maxResourceBytes: number;
  /** Each of stdout and stderr of a run, as returned. @default 64 KiB */
  readonly maxOutputBytes: number;
  /** Output in all after which a run is ended. @default 64 MiB */
  readonly maxTotalOutputBytes: number;
  /** Skills in one catalogue. @default 100,000 */
  readonly maxSkills: number;
  /** Folder levels below a root. @default 6 */
  readonly maxDepth: number;
  /** Directory entries visited below one root. @default 1,000,000 */
  readonly maxEntries: number;
  /** Files listed of one skill. @default 5,000 */
  readonly maxFiles: number;
  /** Wall time of one run. @default 120,000 */
  readonly runTimeoutMs: number;
  /** CPU time of one run. @default 120,000 */
  readonly runCpuMs: number;
  /** Memory of one run. @default 1 GiB */
  readonly maxMemoryBytes: number;
  /** Processes and threads at once in one run. @default 128 */
  readonly maxProcesses: number;
  /** One file that a run writes. @default 256 MiB */
  readonly maxFileBytes: number;
  /** Everything in one session's workspace. @default 1 GiB */
  readonly maxWorkspaceBytes: number;
  /** Output files collected from one run. @default 100 */
  readonly maxOutputFiles: number;
}

/** The limits that hold where the host names none. */
export const defaultLimits: Limits = Object.freeze({
  maxSkillBytes: 64 * 1024 * 1024,
  maxBodyBytes: 1024 * 1024,
  maxFrontmatterBytes: 64 * 1024,
  maxResourceBytes: 1024 * 1024,
  maxOutputBytes: 64 * 1024,
  maxTotalOutputBytes: 64 * 1024 * 1024,
  maxSkills: 100_000,
  maxDepth: 6,
  maxEntries: 1_000_000,
  maxFiles: 5_000,
  runTimeoutMs: 120_000,
  runCpuMs: 120_000,
  maxMemoryBytes: 1024 * 1024 * 1024,
  maxProcesses: 128,
  maxFileBytes: 256 * 1024 * 1024,
  maxWorkspaceBytes: 1024 * 1024 * 1024,
  maxOutputFiles: 100,
});
