/** An encrypted secret and its owner. */
export interface EncryptedItem<Owner> {
  readonly owner: Owner;
  readonly encrypted: string;
}

/** A page of the encrypted secrets of a store. */
export interface EncryptedPage<Owner> {
  /** May be empty, though more follow. */
  readonly items: readonly EncryptedItem<Owner>[];
  /** The cursor of the next page; `null`: this was the last one. */
  readonly nextCursor: string | null;
}

/** The encrypted secrets of a store, for re-encrypting all of them. After that, the old key is no longer needed. */
export interface EncryptedStore<Owner> {
  /**
   * Lists the current encrypted secrets of all owners, in no particular order.
   *
   * Atomicity: each item is read as a whole; the page is not.
   *
   * Concurrency: iterating from the cursor `null` to `null` returns every secret that exists throughout the iteration
   * at least once. It may return or miss secrets that are added, removed or changed during the iteration.
   *
   * @param page - `limit`: the number of items, 1 to 100; the page may have fewer, or more.
   */
  listEncrypted(page: {
    readonly limit: number;
    readonly cursor: string | null;
  }): Promise<EncryptedPage<Owner>>;

  /**
   * Replaces `expected` with the same secret, re-encrypted, and changes nothing else. Returns whether `replacement` is
   * stored now.
   *
   * Atomicity: a compare-and-set. If another secret has replaced `expected`, that one is kept.
   */
  replaceEncrypted(
    owner: Owner,
    change: { readonly expected: string; readonly replacement: string },
  ): Promise<boolean>;
}
