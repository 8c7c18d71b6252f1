/** What the command's exit codes mean. */
export const exitCode = {
  /** Clean, or warnings alone. */
  ok: 0,
  /** Errors were found, or a run failed. */
  failed: 1,
  /** Wrong use. */
  usage: 2,
  /** Interrupted. */
  interrupted: 130,
} as const;
