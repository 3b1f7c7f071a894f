import type { SealedStore } from '../storage/sealed-store.ts';

/** What came of a walk over all secrets of one kind. */
export interface Resealed {
  /** How many were under an older key, and are now under the newest. */
  readonly resealed: number;
  /** How many no key of the ring opens, not even an older one: they were useless before, and stay as they were. */
  readonly unreadable: number;
}

/** Seals for owners of one kind, and knows which key sealed what. */
export interface ResealingBox<Owner> {
  /** Whether the newest key sealed it. */
  isCurrent(sealed: string): boolean;
  seal(owner: Owner, secret: Uint8Array): string;
  open(owner: Owner, sealed: string): Uint8Array | null;
}

const PAGE = 100;

/**
 * Seals again what is not under the newest key. One secret after the other, so that it hardly loads the store.
 *
 * Concurrency: may run in several processes at once, and may be interrupted and started again.
 */
export async function reseal<Owner>(
  store: SealedStore<Owner>,
  box: ResealingBox<Owner>,
): Promise<Resealed> {
  let resealed = 0;
  let unreadable = 0;
  let cursor: string | null = null;
  do {
    const page = await store.listSealed({ limit: PAGE, cursor });
    for (const { owner, sealed } of page.items) {
      if (box.isCurrent(sealed)) continue;
      const secret = box.open(owner, sealed);
      if (secret === null) {
        unreadable += 1;
        continue;
      }
      const change = { expected: sealed, replacement: box.seal(owner, secret) };
      // If not, the owner has replaced it meanwhile, and its new secret is under the newest key.
      if (await store.replaceSealed(owner, change)) resealed += 1;
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { resealed, unreadable };
}
