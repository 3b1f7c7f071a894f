import { describe, expect, it } from 'vitest';
import { randomId } from './random.ts';

describe('a random id', () => {
  it('is 128 bits of base64url, and never comes twice', () => {
    const ids = Array.from({ length: 1_000 }, () => randomId());
    expect(new Set(ids).size).toBe(1_000);
    for (const id of ids) expect(id).toMatch(/^[\w-]{22}$/);
  });
});
