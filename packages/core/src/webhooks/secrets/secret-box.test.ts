import { describe, expect, it } from 'vitest';
import { createSecretRing } from '../../keys/secret-ring.ts';
import { createSecretBox } from './secret-box.ts';

const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const ref = { accountId: 1, webhookId: 'wh_a' };
const secret = Buffer.alloc(32, 7);

/** A box with nothing remembered, as another process has it. */
function boxOf(...keys: Buffer[]) {
  return createSecretBox(createSecretRing(keys));
}

/** By an earlier release. What was stored then must be opened for ever. */
const FROZEN =
  'AUFZT_Bv82qxjvE-WEnIniKk0LWXlcYLfBmKtDWCjyB2fd7fWVYRIw5aGzoivR6iY_6qiiD_Bfji8fymlFvRfZA';

describe('a secret in its box', () => {
  it('is opened by whoever has the key, for the webhook that it was sealed for', () => {
    const sealed = boxOf(oldKey).seal(ref, secret);
    expect(boxOf(oldKey).open(ref, sealed)).toEqual(secret);
  });

  it('reads the same in no two boxes, and never shows', () => {
    const box = boxOf(oldKey);
    const sealed = Array.from({ length: 100 }, () => box.seal(ref, secret));
    expect(new Set(sealed).size).toBe(100);
    for (const text of sealed) {
      expect(text).toMatch(/^[\w-]+$/);
      expect(Buffer.from(text, 'base64url').includes(secret)).toBe(false);
    }
  });

  it('stays openable when a newer key comes, which seals from then on', () => {
    const sealed = boxOf(oldKey).seal(ref, secret);
    const both = boxOf(newKey, oldKey);
    expect(both.open(ref, sealed)).toEqual(secret);
    expect(boxOf(newKey).open(ref, both.seal(ref, secret))).toEqual(secret);
    expect(boxOf(oldKey).open(ref, both.seal(ref, secret))).toBeNull();
  });

  it('is lost when its key leaves the ring', () => {
    expect(boxOf(newKey).open(ref, boxOf(oldKey).seal(ref, secret))).toBeNull();
  });

  it.each([
    ['webhook', { ...ref, webhookId: 'wh_b' }],
    ['account', { ...ref, accountId: 2 }],
  ])('cannot be moved to another %s, remembered or not', (_what, other) => {
    const box = boxOf(oldKey);
    const sealed = box.seal(ref, secret);
    expect(box.open(other, sealed)).toBeNull();
    expect(box.open(ref, sealed)).toEqual(secret);
    expect(box.open(other, sealed)).toBeNull();
  });

  it('is refused with any single bit changed', () => {
    const sealed = Buffer.from(boxOf(oldKey).seal(ref, secret), 'base64url');
    const box = boxOf(oldKey);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const flipped = Buffer.from(sealed);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(box.open(ref, flipped.toString('base64url'))).toBeNull();
    }
  });

  it('is refused cut short, to nothing too', () => {
    const box = boxOf(oldKey);
    const sealed = Buffer.from(box.seal(ref, secret), 'base64url');
    for (let length = 0; length < sealed.length; length++) {
      expect(box.open(ref, sealed.subarray(0, length).toString('base64url'))).toBeNull();
    }
  });

  it('of an earlier release is read as it was meant', () => {
    expect(boxOf(oldKey).open(ref, FROZEN)).toEqual(secret);
  });
});
