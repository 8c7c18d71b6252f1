/** The command was used wrongly: exit code 2, the message alone. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
