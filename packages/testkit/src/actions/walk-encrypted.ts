import assert from 'node:assert/strict';
import type { EncryptedItem, EncryptedStore } from '@latchhook/core/storage';

/** Far more than any test case needs: a cursor that leads back to an earlier page would never end. */
const MAX_PAGES = 10_000;

/** All items of all pages, including repeated ones. */
export async function walkEncrypted<Owner>(
  store: EncryptedStore<Owner>,
  limit: number,
): Promise<readonly EncryptedItem<Owner>[]> {
  const items: EncryptedItem<Owner>[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await store.listEncrypted({ limit, cursor });
    items.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === null) return items;
  }
  assert.fail(`expected the walk to end within ${MAX_PAGES} pages`);
}

/** Asserts equality regardless of order and of repeated items. */
export function assertSameItems<Owner>(
  actual: readonly EncryptedItem<Owner>[],
  expected: readonly EncryptedItem<Owner>[],
): void {
  assert.deepEqual(keysOf(actual), keysOf(expected));
}

function keysOf(items: readonly EncryptedItem<unknown>[]): readonly string[] {
  return [
    ...new Set(items.map(({ owner, encrypted }) => JSON.stringify([owner, encrypted]))),
  ].sort();
}
