import { describe, expect, it } from 'vitest';
import type { SealedItem, SealedStore } from '../storage/sealed-store.ts';
import { createAtRestBox } from './at-rest-box.ts';
import { reseal } from './reseal.ts';
import { createSecretRing } from './secret-ring.ts';

const [OLD, NEW, LOST] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [
  Buffer,
  Buffer,
  Buffer,
];

function boxOf(...keys: readonly Buffer[]) {
  return createAtRestBox(createSecretRing(keys), 'a test');
}

/** Lists two items a page, as a store with many does. */
function storeOf(items: readonly SealedItem<string>[]) {
  const sealedOf = new Map(items.map(({ owner, sealed }) => [owner, sealed]));
  const store: SealedStore<string> = {
    async listSealed({ cursor }) {
      const from = Number(cursor ?? 0);
      const page = [...sealedOf].slice(from, from + 2);
      const next = from + 2 < sealedOf.size ? String(from + 2) : null;
      return { items: page.map(([owner, sealed]) => ({ owner, sealed })), nextCursor: next };
    },
    async replaceSealed(owner, { expected, replacement }) {
      if (sealedOf.get(owner) !== expected) return false;
      sealedOf.set(owner, replacement);
      return true;
    },
  };
  return { store, sealedOf };
}

const secretOf = (owner: string) => Buffer.from(`secret of ${owner}`);
const sealedBy = (key: Buffer) => (owner: string) => ({
  owner,
  sealed: boxOf(key).seal(owner, secretOf(owner)),
});

describe('resealing', () => {
  it('leaves nothing that only an older key opens', async () => {
    const { store, sealedOf } = storeOf(['a', 'b', 'c', 'd', 'e'].map(sealedBy(OLD)));
    expect(await reseal(store, boxOf(NEW, OLD))).toEqual({ resealed: 5, unreadable: 0 });
    for (const [owner, sealed] of sealedOf) {
      expect(boxOf(NEW).open(owner, sealed)).toEqual(secretOf(owner));
    }
    expect(await reseal(store, boxOf(NEW, OLD))).toEqual({ resealed: 0, unreadable: 0 });
  });

  it('leaves as it is what is under the newest key, and what none opens', async () => {
    const items = [sealedBy(NEW)('a'), sealedBy(LOST)('b'), { owner: 'c', sealed: 'garbage' }];
    // Sealed for another owner: sealing it again must not make it valid.
    const lent = { owner: 'd', sealed: sealedBy(OLD)('e').sealed };
    const { store, sealedOf } = storeOf([...items, lent]);
    const before = new Map(sealedOf);
    expect(await reseal(store, boxOf(NEW, OLD))).toEqual({ resealed: 0, unreadable: 3 });
    expect(sealedOf).toEqual(before);
  });

  it('does not count what its owner has replaced meanwhile', async () => {
    const { store } = storeOf(['a', 'b'].map(sealedBy(OLD)));
    const overtaken = { ...store, replaceSealed: async () => false };
    expect(await reseal(overtaken, boxOf(NEW, OLD))).toEqual({ resealed: 0, unreadable: 0 });
  });
});
