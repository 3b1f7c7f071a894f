import { describe, expect, it } from 'vitest';
import { createSecretRing } from './secret-ring.ts';

describe('the ring of secrets', () => {
  it('rejects a secret of less than 32 bytes', () => {
    expect(() => createSecretRing([Buffer.alloc(31)])).toThrow('[refresh_secret_too_short]');
  });

  it('rejects an empty list', () => {
    expect(() => createSecretRing([])).toThrow('[refresh_secret_missing]');
  });

  it('rejects a secret that is listed twice', () => {
    expect(() => createSecretRing([Buffer.alloc(32), Buffer.alloc(32)])).toThrow(
      '[refresh_secret_duplicate]',
    );
  });

  it('derives a different key for every purpose', () => {
    const ring = createSecretRing([Buffer.alloc(32)]);
    const keys = ['a', 'b'].map((purpose) => ring.keyFor(ring.newest, purpose)?.toString('hex'));
    expect(new Set(keys).size).toBe(2);
  });

  it('finds no key for a secret that was removed', () => {
    const oldRing = createSecretRing([Buffer.alloc(32, 1)]);
    expect(createSecretRing([Buffer.alloc(32, 2)]).keyFor(oldRing.newest, 'a')).toBeUndefined();
  });
});
