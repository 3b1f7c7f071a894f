import { describe, expect, it } from 'vitest';
import { createIdGenerator, randomId } from './random-id.ts';

describe('a random id', () => {
  it.each([
    ['', randomId],
    ['msg_', createIdGenerator('msg_')],
  ])('consists of the prefix "%s" and 128 random bits in base64url', (prefix, newId) => {
    const ids = Array.from({ length: 1_000 }, () => newId());
    expect(new Set(ids).size).toBe(1_000);
    for (const id of ids) expect(id).toMatch(new RegExp(`^${prefix}[\\w-]{22}$`));
    // No bit is constant: each character has all of its 64 values. The 22nd encodes only two bits, so it has 4.
    const valuesAt = (index: number) => new Set(ids.map((id) => id.at(prefix.length + index))).size;
    const valueCounts = Array.from({ length: 22 }, (_, index) => valuesAt(index));
    expect(valueCounts).toEqual([...new Array(21).fill(64), 4]);
  });

  // `AA` encodes a whole byte, but not whole groups of characters, so ids would not begin with it.
  it.each(['AA', 'wh_', 'wh:_'])('throws a RangeError at creation for the prefix %s', (prefix) => {
    expect(() => createIdGenerator(prefix)).toThrow(RangeError);
  });
});
