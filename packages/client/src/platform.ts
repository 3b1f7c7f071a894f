/** Globals that only some platforms have, declared here so that the source compiles without the types of a platform. */
interface Platform {
  readonly navigator?: { readonly locks?: Locks } | undefined;
  /** Null in Android WebViews that do not enable it. */
  readonly localStorage?: StorageArea | null | undefined;
  readonly location?: { readonly href: string } | undefined;
  addEventListener?(type: string, listener: (event: StorageChange) => void): void;
}

/** The part of the Web Locks API's `LockManager` that is used. */
export interface Locks {
  request<Result>(
    name: string,
    options: { readonly signal: AbortSignal },
    work: () => Promise<Result>,
  ): Promise<Result>;
}

/** The part of the Web Storage API's `Storage` that is used. */
export interface StorageArea {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

interface StorageChange {
  /** Null if the whole storage was cleared; undefined if the event is not a `StorageEvent`. */
  readonly key?: string | null;
}

export const platform: Platform = globalThis as Platform;

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
