export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Where a client keeps its login: one string, which holds tokens. `memoryStorage` and `webStorage` are two, and yours
 * may be a third, such as the Keychain of a phone.
 *
 * A write that fails is repeated at the next use. Until then the login lives in the client alone.
 */
export interface ClientStorage {
  /**
   * Names what is shared, in tabs or workers of one origin: all clients whose storage has this name take turns to
   * refresh, by a Web Lock, or else by an entry in `localStorage`. Absent: nobody else uses this storage.
   */
  readonly name?: string;
  /** Resolves to null where nothing is stored. */
  get(): MaybePromise<string | null>;
  set(value: string): MaybePromise<void>;
  remove(): MaybePromise<void>;
  /** Calls the listener whenever somebody else may have changed the value. */
  subscribe?(listener: () => void): void;
}

/** Keeps the login in this client alone: it ends with the page or the process. */
export function memoryStorage(): ClientStorage {
  let value: string | null = null;
  return {
    get: () => value,
    set(next) {
      value = next;
    },
    remove() {
      value = null;
    },
  };
}
