import { type Client, type ClientOptions, createClient, webStorage } from '@latchhook/client';
import { vi } from 'vitest';
import { webLocks } from './web-locks.ts';

/** Tabs of one origin in this process: they share a `localStorage`, and Web Locks where there are some. */
export interface Browser {
  openTab(options: Omit<ClientOptions, 'storage'>): Tab;
  /** What `localStorage` holds. */
  stored(): string | undefined;
}

export interface Tab {
  readonly client: Client;
  /** From now on no answer arrives, and nothing is stored. Locks are free. */
  close(): void;
}

type StorageListener = (event: { readonly key: string }) => void;

export function openBrowser({ locks }: { readonly locks: boolean }): Browser {
  const values = new Map<string, string>();
  const heard = new Map<object, StorageListener[]>();
  const openLocks = webLocks();

  return {
    stored: () => values.get('latchhook'),
    openTab({ fetch = globalThis.fetch, ...options }) {
      const tab = {};
      const tabLocks = openLocks();
      let closed = false;
      const change = (key: string, write: () => void): void => {
        if (closed) return;
        write();
        const others = [...heard].filter(([other]) => other !== tab);
        for (const listener of others.flatMap(([, listeners]) => listeners)) {
          setImmediate(() => listener({ key }));
        }
      };
      heard.set(tab, []);

      // What a page finds when it is loaded.
      vi.stubGlobal('localStorage', {
        getItem: (key: string) => values.get(key) ?? null,
        setItem: (key: string, value: string) => change(key, () => values.set(key, value)),
        removeItem: (key: string) => change(key, () => values.delete(key)),
      });
      vi.stubGlobal('addEventListener', (type: string, listener: StorageListener) => {
        if (type === 'storage') heard.get(tab)?.push(listener);
      });
      vi.stubGlobal('navigator', locks ? { locks: tabLocks } : undefined);
      const client = createClient({
        ...options,
        storage: webStorage(),
        fetch: (input, init) =>
          new Promise((resolve, reject) => {
            fetch(input, init).then(
              (response) => closed || resolve(response),
              (error) => closed || reject(error),
            );
          }),
      });
      vi.unstubAllGlobals();

      return {
        client,
        close() {
          closed = true;
          heard.delete(tab);
          tabLocks.close();
        },
      };
    },
  };
}
