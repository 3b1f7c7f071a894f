export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Stores the login of a client: one string with tokens. Use `memoryStorage`, `webStorage`, or your own, such as the
 * Keychain of a phone.
 *
 * A failed write is retried at the next use of the storage. Until then the client keeps the login in memory.
 */
export interface ClientStorage {
  /**
   * The name of a storage that tabs or workers of one origin share. Its clients log in, refresh and log out one at a
   * time: by a Web Lock, or by a lease in `localStorage` if the platform has no Web Locks. Absent: the storage is not
   * shared.
   */
  readonly name?: string;
  /** Resolves to null if nothing is stored. */
  get(): MaybePromise<string | null>;
  set(value: string): MaybePromise<void>;
  remove(): MaybePromise<void>;
  /**
   * Calls the listener when others may have changed the value, and when it can be read after reads have failed, as when
   * a phone is unlocked. Until the first successful read, the session is undefined.
   */
  subscribe?(listener: () => void): void;
}

/** Keeps the login in memory: it ends with the page or process. */
export function memoryStorage(): ClientStorage {
  let value: string | null = null;
  return {
    get: () => value,
    set(newValue) {
      value = newValue;
    },
    remove() {
      value = null;
    },
  };
}
