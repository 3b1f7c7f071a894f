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
    // No bit is always the same. The 22nd character has two of its own.
    const distinct = (place: number) => new Set(ids.map((id) => id.at(prefix.length + place))).size;
    expect(Array.from({ length: 22 }, (_, place) => distinct(place))).toEqual([
      ...new Array(21).fill(64),
      4,
    ]);
  });

  // The first would be no prefix of what comes out, though it is whole bytes.
  it.each(['AA', 'wh_', 'wh:_'])('cannot have the prefix %s', (prefix) => {
    expect(() => createIds(prefix)).toThrow(RangeError);
  });
});
