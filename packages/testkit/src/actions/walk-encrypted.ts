import assert from 'node:assert/strict';
import type { EncryptedItem, EncryptedStore } from '@latchhook/core/storage';

/** Far more than any claim needs, so that a walk in circles is noticed. */
const MAX_PAGES = 10_000;

/** Everything that a walk meets, repeats included. */
export async function walkEncrypted<Owner>(
  store: EncryptedStore<Owner>,
  limit: number,
): Promise<readonly EncryptedItem<Owner>[]> {
  const met: EncryptedItem<Owner>[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await store.listEncrypted({ limit, cursor });
    met.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === null) return met;
  }
  assert.fail(`expected the walk to end within ${MAX_PAGES} pages`);
}

/** Asserts what a walk has met, whatever the order and the repeats. */
export function assertMet<Owner>(
  met: readonly EncryptedItem<Owner>[],
  expected: readonly EncryptedItem<Owner>[],
): void {
  assert.deepEqual(namesOf(met), namesOf(expected));
}

function namesOf(items: readonly EncryptedItem<unknown>[]): readonly string[] {
  return [
    ...new Set(items.map(({ owner, encrypted }) => JSON.stringify([owner, encrypted]))),
  ].sort();
}
