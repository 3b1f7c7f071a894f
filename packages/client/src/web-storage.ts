import { type ClientStorage, memoryStorage } from './client-storage.ts';
import { platform, type StorageArea } from './platform.ts';

export interface WebStorageOptions {
  /** The key in `localStorage`. Give each API of an origin its own. Default: `latchhook`. */
  readonly key?: string;
}

/**
 * Keeps the login in `localStorage`: all tabs of the origin share it, and a reload keeps it. Where there is none, as on
 * a server or for a user who blocks it, this is `memoryStorage`. In one page, make one client for a key: a second one
 * does not hear of what the first one does.
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
      // A page that comes back from the cache has missed the events.
      platform.addEventListener?.('pageshow', listener);
    },
  };
}

/** Undefined where there is none, or the user blocks it. */
export function findArea(): StorageArea | undefined {
  try {
    return platform.localStorage ?? undefined;
  } catch {
    return undefined;
  }
}
