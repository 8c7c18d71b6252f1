/**
 * One promise of a contract. A suite is a list of them, so that any test runner can prove a plug-in:
 * `for (const { name, run } of sessionStoreContract) test(name, () => run(context))`.
 */
export interface ContractCase<Context> {
  /** The promise, as a sentence. */
  readonly name: string;
  /** Rejects with an AssertionError where the promise is broken. */
  run(context: Context): Promise<void>;
}

/** What the contract suites of stores are run on. */
export interface StoreContext<Store> {
  /**
   * Opens the store. Within one case every call reaches the same data, as another process would; a store in memory answers
   * the same object. Whoever made the context closes what it opened.
   */
  open(): Store | Promise<Store>;
}
