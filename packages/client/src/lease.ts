import type { Exclusively } from './exclusively.ts';
import type { StorageArea } from './platform.ts';

/** After which a lease is void whose tab was closed, ms: longer than a request for tokens may take. */
const LEASE_MS = 12_000;

/** How soon the other tabs see what one has stored, ms. */
const SEEN_MS = 100;

/**
 * Takes turns by an entry in `localStorage`. Of those that write theirs at once the last one has the lease, as all see
 * the same value in the end. A tab that sees it late works at the same time as another.
 */
export function createLease(area: StorageArea, key: string): Exclusively {
  /** Resolves to the entry; undefined for anyone who has waited for as long as a lease lasts. */
  async function acquire(): Promise<string | undefined> {
    for (let waitedMs = 0; waitedMs < LEASE_MS; waitedMs += SEEN_MS) {
      const leftMs = Number.parseFloat(area.getItem(key) ?? '') - Date.now();
      // One that lasts longer is from before the clock was set back.
      const isHeld = leftMs > 0 && leftMs <= LEASE_MS;
      const mine = `${Date.now() + LEASE_MS} ${Math.random()}`;
      if (!isHeld) area.setItem(key, mine);
      await new Promise((seen) => setTimeout(seen, SEEN_MS));
      if (area.getItem(key) === mine) return mine;
    }
    return undefined;
  }

  return async (work) => {
    // A storage that is full, or may not be written to, has no leases.
    const mine = await acquire().catch(() => {});
    try {
      return await work(() => {});
    } finally {
      if (mine !== undefined && area.getItem(key) === mine) area.removeItem(key);
    }
  };
}
