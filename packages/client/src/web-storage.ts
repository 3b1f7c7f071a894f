import { type ClientStorage, memoryStorage } from './client-storage.ts';
import { platform, type StorageArea } from './platform.ts';

export interface WebStorageOptions {
  /** The key in `localStorage`. Use one key per API. Default: `latchhook`. */
  readonly key?: string;
}

/**
 * Stores the login in `localStorage`: all tabs of the origin share the login, and it survives a reload. Without
 * `localStorage`, as on a server or if the user blocks it, this is `memoryStorage`. In one page, create only one client
 * per key because a second client is not notified of changes by the first.
 *
 * Security: every script of the origin can read the login.
 */
export function webStorage({ key = 'latchhook' }: WebStorageOptions = {}): ClientStorage {
  const area = findLocalStorage();
  if (!area) return memoryStorage();
  return {
    name: key,
    get: () => area.getItem(key),
    set: (value) => area.setItem(key, value),
    remove: () => area.removeItem(key),
    subscribe(listener) {
      platform.addEventListener?.('storage', (event) => {
        // Without a key, the whole storage was cleared.
        if ((event.key ?? key) === key) listener();
      });
      // A page that is restored from the back/forward cache has missed events.
      platform.addEventListener?.('pageshow', listener);
    },
  };
}

/** `localStorage`; null or undefined if it is missing, blocked, damaged, or without methods as in Node.js 25. */
export function findLocalStorage(): StorageArea | null | undefined {
  try {
    const area = platform.localStorage;
    area?.getItem('');
    return area;
  } catch {
    return undefined;
  }
}
