import { describe, expect, it } from 'vitest';
import { createIds, randomId } from './random-id.ts';

describe('a random id', () => {
  it.each([
    ['', randomId],
    ['msg_', createIds('msg_')],
  ])('has the prefix "%s" and 128 bits in base64url, and is unique', (prefix, newId) => {
    const ids = Array.from({ length: 1_000 }, () => newId());
    expect(new Set(ids).size).toBe(1_000);
    for (const id of ids) expect(id).toMatch(new RegExp(`^${prefix}[\\w-]{22}$`));
    // No bit is constant. The 22nd character encodes only two bits.
    const distinct = (index: number) => new Set(ids.map((id) => id.at(prefix.length + index))).size;
    expect(Array.from({ length: 22 }, (_, index) => distinct(index))).toEqual([
      ...new Array(21).fill(64),
      4,
    ]);
  });

  // `AA` encodes a whole byte, but not whole groups of characters, so ids would not begin with it.
  it.each(['AA', 'wh_', 'wh:_'])('throws a RangeError at creation for the prefix %s', (prefix) => {
    expect(() => createIds(prefix)).toThrow(RangeError);
  });
});
