import { type ClientStorage, memoryStorage } from './client-storage.ts';
import { platform, type StorageArea } from './platform.ts';

export interface WebStorageOptions {
  /** The key in `localStorage`, one per API of an origin. Default: `latchhook`. */
  readonly key?: string;
}

/**
 * Keeps the login in `localStorage`: all tabs of the origin share it, and a reload keeps it. Without it, as on a server
 * or if the user blocks it, this is `memoryStorage`. In one page, create one client per key: a second one misses
 * changes of the first.
 *
 * Security: every script of the origin can read it.
 */
export function webStorage({ key = 'latchhook' }: WebStorageOptions = {}): ClientStorage {
  const area = findArea();
  if (area === undefined) return memoryStorage();
  return {
    name: key,
    get: () => area.getItem(key),
    set: (value) => area.setItem(key, value),
    remove: () => area.removeItem(key),
    subscribe(listener) {
      platform.addEventListener?.('storage', (event) => {
        if (event.key === key || event.key === null) listener();
      });
      // A page from the back/forward cache has missed events.
      platform.addEventListener?.('pageshow', listener);
    },
  };
}

/** Undefined if missing or blocked. */
export function findArea(): StorageArea | undefined {
  try {
    return platform.localStorage ?? undefined;
  } catch {
    return undefined;
  }
}
