export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Stores the login of a client: one string with tokens. Use `memoryStorage`, `webStorage`, or your own, such as the
 * Keychain of a phone.
 *
 * A failed write is retried at the next use. Until then only the client has the login.
 */
export interface ClientStorage {
  /**
   * The name of a storage that tabs or workers of one origin share: its clients refresh one at a time, with a Web Lock,
   * or else an entry in `localStorage`. Absent: it is not shared.
   */
  readonly name?: string;
  /** Resolves to null where nothing is stored. */
  get(): MaybePromise<string | null>;
  set(value: string): MaybePromise<void>;
  remove(): MaybePromise<void>;
  /** Calls the listener when others may have changed the value. */
  subscribe?(listener: () => void): void;
}

/** Keeps the login in memory: it ends with the page or process. */
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
