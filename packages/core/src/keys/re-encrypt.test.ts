import { describe, expect, it } from 'vitest';
import type { EncryptedItem, EncryptedStore } from '../storage/encrypted-store.ts';
import { reencrypt } from './re-encrypt.ts';
import { createSecretCipher } from './secret-cipher.ts';
import { createSecretRing } from './secret-ring.ts';

const [OLD, NEW, LOST] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [
  Buffer,
  Buffer,
  Buffer,
];

function cipherOf(...keys: readonly Buffer[]) {
  return createSecretCipher(createSecretRing(keys), 'a test');
}

/** A store that lists two items per page, so that a few items need several pages. */
function storeOf(items: readonly EncryptedItem<string>[]) {
  const encryptedOf = new Map(items.map(({ owner, encrypted }) => [owner, encrypted]));
  const store: EncryptedStore<string> = {
    async listEncrypted({ cursor }) {
      const start = Number(cursor ?? 0);
      const page = [...encryptedOf].slice(start, start + 2);
      const nextCursor = start + 2 < encryptedOf.size ? String(start + 2) : null;
      return { items: page.map(([owner, encrypted]) => ({ owner, encrypted })), nextCursor };
    },
    async replaceEncrypted(owner, { expected, replacement }) {
      if (encryptedOf.get(owner) !== expected) return false;
      encryptedOf.set(owner, replacement);
      return true;
    },
  };
  return { store, encryptedOf };
}

const secretOf = (owner: string) => Buffer.from(`secret of ${owner}`);
const encryptedBy = (key: Buffer) => (owner: string) => ({
  owner,
  encrypted: cipherOf(key).encrypt(owner, secretOf(owner)),
});

describe('reencrypt', () => {
  it('re-encrypts every item of an older key under the newest key', async () => {
    const { store, encryptedOf } = storeOf(['a', 'b', 'c', 'd', 'e'].map(encryptedBy(OLD)));
    expect(await reencrypt(store, cipherOf(NEW, OLD))).toEqual({ reencrypted: 5, unreadable: 0 });
    for (const [owner, encrypted] of encryptedOf) {
      expect(cipherOf(NEW).decrypt(owner, encrypted)).toEqual(secretOf(owner));
    }
    expect(await reencrypt(store, cipherOf(NEW, OLD))).toEqual({ reencrypted: 0, unreadable: 0 });
  });

  it('does not change items that the newest key has encrypted, or that no key decrypts', async () => {
    const items = [
      encryptedBy(NEW)('a'),
      encryptedBy(LOST)('b'),
      { owner: 'c', encrypted: 'garbage' },
    ];
    // Re-encryption must not make a secret valid that was encrypted for another owner.
    const misplaced = { owner: 'd', encrypted: encryptedBy(OLD)('e').encrypted };
    const { store, encryptedOf } = storeOf([...items, misplaced]);
    const encryptedBefore = new Map(encryptedOf);
    expect(await reencrypt(store, cipherOf(NEW, OLD))).toEqual({ reencrypted: 0, unreadable: 3 });
    expect(encryptedOf).toEqual(encryptedBefore);
  });

  it('does not count an item that was replaced concurrently', async () => {
    const { store } = storeOf(['a', 'b'].map(encryptedBy(OLD)));
    const concurrentStore = { ...store, replaceEncrypted: async () => false };
    expect(await reencrypt(concurrentStore, cipherOf(NEW, OLD))).toEqual({
      reencrypted: 0,
      unreadable: 0,
    });
  });
});
