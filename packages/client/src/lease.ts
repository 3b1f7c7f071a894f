import { type StorageArea, sleep } from './platform.ts';
import type { RunExclusively } from './run-exclusively.ts';

/** The length of a lease, ms: longer than a request for tokens may take. */
export const LEASE_MS = 12_000;

/** How long a write to `localStorage` takes to be visible in other tabs, ms. */
const PROPAGATION_MS = 100;

/**
 * Runs work under a lease: an entry in `localStorage` that names the time of its end and, by a random number, its tab.
 * A tab writes the entry, waits until other tabs see it, and has the lease if the entry is still its own: if several
 * tabs write together, only the last has it. If a write takes longer to become visible, two tabs work in parallel.
 */
export function createLease(area: StorageArea, key: string): RunExclusively {
  /** Resolves to the value of the lease; to undefined after waiting for the length of a lease. */
  async function acquire(): Promise<string | undefined> {
    for (let waitedMs = 0; waitedMs < LEASE_MS; waitedMs += PROPAGATION_MS) {
      const remainingMs = Number.parseFloat(area.getItem(key) ?? '') - Date.now();
      // A lease with more time than LEASE_MS was written before the clock was set back.
      const isHeld = remainingMs > 0 && remainingMs <= LEASE_MS;
      const ownLease = `${Date.now() + LEASE_MS} ${Math.random()}`;
      if (!isHeld) area.setItem(key, ownLease);
      await sleep(PROPAGATION_MS);
      if (area.getItem(key) === ownLease) return ownLease;
    }
    return undefined;
  }

  return async (work) => {
    // Without a lease, the work runs too: after the wait of `acquire`, and if the storage is full or not writable.
    const ownLease = await acquire().catch(() => {});
    try {
      // `markStored` does nothing: the next tab's `acquire` waits until writes are visible anyway.
      return await work(() => {});
    } finally {
      if (ownLease && area.getItem(key) === ownLease) area.removeItem(key);
    }
  };
}
