import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextSlabs } from './text-slabs.ts';

describe('TextSlabs', () => {
  it('keeps every text as it was, however many and long they are', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 100 }),
      fc.integer({ min: 8_000, max: 70_000 }).map((chars) => 'é'.repeat(chars / 2)),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 50 }), (texts) => {
        const slabs = new TextSlabs();
        const stored = texts.map((one) => slabs.add(one));
        expect(stored.map(String)).toEqual(texts);
      }),
      { seed: 1 },
    );
  });

  it('goes on in a new slab where the present one is full', () => {
    const slabs = new TextSlabs();
    const texts = Array.from({ length: 1_000 }, (_, nth) => `${nth} `.repeat(100));
    const stored = texts.map((text) => slabs.add(text));
    expect(stored.map(String)).toEqual(texts);
  });
});
