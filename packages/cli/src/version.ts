/** The version of the command, as its package says it. */
export const version = "0.1.0";
