/** What only some platforms have. The source compiles with the types of any. */
interface Platform {
  readonly navigator?: { readonly locks?: Locks } | undefined;
  readonly localStorage?: StorageArea | undefined;
  readonly location?: { readonly href: string } | undefined;
  addEventListener?(type: string, listener: (event: StorageChange) => void): void;
}

/** `LockManager` of the Web Locks API, as far as it is used. */
export interface Locks {
  request<Result>(
    name: string,
    options: { readonly signal: AbortSignal },
    work: () => Promise<Result>,
  ): Promise<Result>;
}

/** `Storage` of the Web Storage API, as far as it is used. */
export interface StorageArea {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

interface StorageChange {
  /** Null where everything was cleared; undefined where the event is not about a storage. */
  readonly key?: string | null;
}

export const platform: Platform = globalThis as Platform;
