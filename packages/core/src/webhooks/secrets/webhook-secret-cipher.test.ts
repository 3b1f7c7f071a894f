import { describe, expect, it } from 'vitest';
import { createSecretRing } from '../../keys/secret-ring.ts';
import { createWebhookSecretCipher } from './webhook-secret-cipher.ts';

const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const ref = { accountId: 1, webhookId: 'wh_a' };
const secret = Buffer.alloc(32, 7);

/** A cipher with an empty cache, like that of another process. */
function cipherOf(...keys: Buffer[]) {
  return createWebhookSecretCipher(createSecretRing(keys));
}

/** Encrypted by an earlier release. Every later release must decrypt it. */
const STORED_BY_EARLIER_RELEASE =
  'AUFZT_Bv82qxjvE-WEnIniKk0LWXlcYLfBmKtDWCjyB2fd7fWVYRIw5aGzoivR6iY_6qiiD_Bfji8fymlFvRfZA';

describe('an encrypted webhook secret', () => {
  it('is decrypted for its webhook by another process with the same key', () => {
    const encrypted = cipherOf(oldKey).encrypt(ref, secret);
    expect(cipherOf(oldKey).decrypt(ref, encrypted)).toEqual(secret);
  });

  it('is unique, and does not contain the secret', () => {
    const cipher = cipherOf(oldKey);
    const encrypted = Array.from({ length: 100 }, () => cipher.encrypt(ref, secret));
    expect(new Set(encrypted).size).toBe(100);
    for (const text of encrypted) {
      expect(text).toMatch(/^[\w-]+$/);
      expect(Buffer.from(text, 'base64url').includes(secret)).toBe(false);
    }
  });

  it('can still be decrypted after a newer encryption key was added', () => {
    const encrypted = cipherOf(oldKey).encrypt(ref, secret);
    const cipher = cipherOf(newKey, oldKey);
    expect(cipher.decrypt(ref, encrypted)).toEqual(secret);
    expect(cipherOf(newKey).decrypt(ref, cipher.encrypt(ref, secret))).toEqual(secret);
    expect(cipherOf(oldKey).decrypt(ref, cipher.encrypt(ref, secret))).toBeNull();
  });

  it('cannot be decrypted once its key is removed', () => {
    expect(cipherOf(newKey).decrypt(ref, cipherOf(oldKey).encrypt(ref, secret))).toBeNull();
  });

  it.each([
    ['webhook', { ...ref, webhookId: 'wh_b' }],
    ['account', { ...ref, accountId: 2 }],
  ])('cannot be decrypted for another %s, cached or not', (_what, other) => {
    const cipher = cipherOf(oldKey);
    const encrypted = cipher.encrypt(ref, secret);
    expect(cipher.decrypt(other, encrypted)).toBeNull();
    expect(cipher.decrypt(ref, encrypted)).toEqual(secret);
    expect(cipher.decrypt(other, encrypted)).toBeNull();
  });

  it('is rejected with any single bit changed', () => {
    const encrypted = Buffer.from(cipherOf(oldKey).encrypt(ref, secret), 'base64url');
    const cipher = cipherOf(oldKey);
    for (let bit = 0; bit < encrypted.length * 8; bit++) {
      const flipped = Buffer.from(encrypted);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(cipher.decrypt(ref, flipped.toString('base64url'))).toBeNull();
    }
  });

  it('is rejected at any shorter length', () => {
    const cipher = cipherOf(oldKey);
    const encrypted = Buffer.from(cipher.encrypt(ref, secret), 'base64url');
    for (let length = 0; length < encrypted.length; length++) {
      expect(cipher.decrypt(ref, encrypted.subarray(0, length).toString('base64url'))).toBeNull();
    }
  });

  it('is decrypted if an earlier release has encrypted it', () => {
    expect(cipherOf(oldKey).decrypt(ref, STORED_BY_EARLIER_RELEASE)).toEqual(secret);
  });
});
