import type { Exclusively } from './exclusively.ts';
import type { StorageArea } from './platform.ts';

/** The length of a lease, ms: longer than a request for tokens may take. */
export const LEASE_MS = 12_000;

/** How soon other tabs see a write, ms. */
const SEEN_MS = 100;

/**
 * Takes turns with an entry in `localStorage`. Of tabs that write at once the last one gets the lease, as all see its
 * value in the end. A tab that sees it late runs in parallel.
 */
export function createLease(area: StorageArea, key: string): Exclusively {
  /** Resolves to the entry; undefined after waiting for a whole lease. */
  async function acquire(): Promise<string | undefined> {
    for (let waitedMs = 0; waitedMs < LEASE_MS; waitedMs += SEEN_MS) {
      const leftMs = Number.parseFloat(area.getItem(key) ?? '') - Date.now();
      // A longer lease is from before the clock was set back.
      const isHeld = leftMs > 0 && leftMs <= LEASE_MS;
      const mine = `${Date.now() + LEASE_MS} ${Math.random()}`;
      if (!isHeld) area.setItem(key, mine);
      await new Promise((seen) => setTimeout(seen, SEEN_MS));
      if (area.getItem(key) === mine) return mine;
    }
    return undefined;
  }

  return async (work) => {
    // Without leases if the storage is full or not writable.
    const mine = await acquire().catch(() => {});
    try {
      return await work(() => {});
    } finally {
      if (mine !== undefined && area.getItem(key) === mine) area.removeItem(key);
    }
  };
}
