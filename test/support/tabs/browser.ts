import {
  type Client,
  type ClientOptions,
  type ClientStorage,
  createClient,
  webStorage,
} from '@latchhook/client';
import { vi } from 'vitest';
import { cookieHeader, keepCookie, OWN } from '../clients/cookie-page.ts';
import { webLocks } from './web-locks.ts';

/** Simulated tabs of one origin: they share cookies, a `localStorage`, and optionally Web Locks. */
export interface Browser {
  /** @param options - `storage` replaces that of the browser */
  openTab(options: ClientOptions): Tab;
}

export interface Tab {
  readonly client: Client;
  /** From now on the tab sends, receives and stores nothing. Its locks are released. */
  close(): void;
}

export interface BrowserOptions {
  readonly locks: boolean;
  readonly storage?: ClientStorage;
}

type StorageListener = (event: { readonly key: string }) => void;

interface OpenTab {
  /** The tab's view of `localStorage`. */
  readonly values: Map<string, string>;
  readonly listeners: StorageListener[];
}

/** The delay after which other tabs see a stored value, because tabs are separate processes, ms. */
const PROPAGATION_MS = 50;

/** @param storage - where the login is kept; default: `webStorage()` */
export function openBrowser({ locks, storage }: BrowserOptions): Browser {
  const tabs = new Set<OpenTab>();
  const stored = new Map<string, string>();
  const jar = new Map<string, string>();
  const openLocks = webLocks();

  return {
    openTab({ fetch = globalThis.fetch, ...options }) {
      const tab: OpenTab = { values: new Map(stored), listeners: [] };
      tabs.add(tab);
      const tabLocks = openLocks();
      let closed = false;
      const change = (key: string, value: string | null): void => {
        if (closed) return;
        write(tab.values, key, value);
        write(stored, key, value);
        setTimeout(() => {
          // Not `value`: if another tab has stored a newer one meanwhile, all tabs see that one.
          for (const other of tabs) write(other.values, key, stored.get(key) ?? null);
          const others = [...tabs].filter((other) => other !== tab);
          for (const listener of others.flatMap(({ listeners }) => listeners)) listener({ key });
        }, PROPAGATION_MS);
      };

      // The globals of a page when it loads.
      vi.stubGlobal('localStorage', {
        getItem: (key: string) => tab.values.get(key) ?? null,
        setItem: (key: string, value: string) => change(key, value),
        removeItem: (key: string) => change(key, null),
      });
      vi.stubGlobal('addEventListener', (type: string, listener: StorageListener) => {
        if (type === 'storage') tab.listeners.push(listener);
      });
      vi.stubGlobal('navigator', locks ? { locks: tabLocks } : undefined);
      const client = createClient({
        ...options,
        storage: options.storage ?? storage ?? webStorage(),
        fetch: (input, init) =>
          new Promise((resolve, reject) => {
            if (closed) return;
            fetch(input, options.mode === 'cookie' ? withCookies(init, jar) : init).then(
              (response) => {
                if (closed) return;
                for (const cookie of response.headers.getSetCookie()) keepCookie(jar, cookie);
                resolve(response);
              },
              (error) => closed || reject(error),
            );
          }),
      });
      vi.unstubAllGlobals();

      return {
        client,
        close() {
          closed = true;
          tabs.delete(tab);
          tabLocks.close();
        },
      };
    },
  };
}

/** The request with the headers that a browser adds for a page of the app. */
function withCookies(init: RequestInit | undefined, jar: Map<string, string>): RequestInit {
  const headers = new Headers(init?.headers);
  if (OWN['origin'] !== undefined) headers.set('origin', OWN['origin']);
  if (init?.credentials === 'include' && jar.size > 0) headers.set('cookie', cookieHeader(jar));
  return { ...init, headers };
}

function write(values: Map<string, string>, key: string, value: string | null): void {
  if (value === null) values.delete(key);
  else values.set(key, value);
}
