/** One secret as a store holds it, and whose it is. */
export interface EncryptedItem<Owner> {
  readonly owner: Owner;
  readonly encrypted: string;
}

/** A part of everything that a store holds encrypted. */
export interface EncryptedPage<Owner> {
  /** May be empty, though more follow. */
  readonly items: readonly EncryptedItem<Owner>[];
  /** Where to go on; `null`: this was the last part. */
  readonly nextCursor: string | null;
}

/**
 * What a store holds encrypted, for a walk that encrypts all of it again: without such a walk, nobody can tell when an
 * old key is no longer needed.
 */
export interface EncryptedStore<Owner> {
  /**
   * Lists what is encrypted and in force, in no particular order, regardless of who owns it.
   *
   * Atomicity: each item is read as a whole; the page is not.
   *
   * Concurrency: a walk from `null` to `null` meets, once or more, everything that is there from its beginning to its
   * end. It may meet or miss what comes, goes or changes meanwhile.
   *
   * @param page - `limit`: how many are wanted, 1 to 100; there may be fewer, or more.
   */
  listEncrypted(page: {
    readonly limit: number;
    readonly cursor: string | null;
  }): Promise<EncryptedPage<Owner>>;

  /**
   * Replaces `expected` by the same secret, encrypted again, and changes nothing else. Returns whether `replacement` is
   * there now; `false` where neither is.
   *
   * Atomicity: a compare-and-set. A secret that took the place of `expected` meanwhile stays.
   */
  replaceEncrypted(
    owner: Owner,
    change: { readonly expected: string; readonly replacement: string },
  ): Promise<boolean>;
}
