import type { SealedStore } from '../storage/sealed-store.ts';

/** What came of a walk over everything of one kind. */
export interface Resealed {
  /** What was under an older key, and is under the newest now. */
  readonly resealed: number;
  /** What no key of the ring opens, an older one neither: it was of no use before, and is as it was. */
  readonly unreadable: number;
}

/** Seals for owners of one kind, and knows what is sealed under which key. */
export interface ResealingBox<Owner> {
  /** Whether the newest key sealed it. */
  isCurrent(sealed: string): boolean;
  seal(owner: Owner, secret: Uint8Array): string;
  open(owner: Owner, sealed: string): Uint8Array | null;
}

const PAGE = 100;

/**
 * Seals anew what is not under the newest key. One after the other: it is for a quiet hour, and leaves the store
 * to others.
 *
 * Concurrency: may run in several processes at once, and be broken off and begun again.
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
      // Otherwise its owner has given it up meanwhile, and what is new is under the newest key.
      if (await store.replaceSealed(owner, change)) resealed += 1;
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { resealed, unreadable };
}
