import { describe, expect, it } from 'vitest';
import { canonicalIdentifier } from './canonical-identifier.ts';

/** Every assigned character, except those for private use. */
function* everyCharacter(): Generator<string> {
  for (let codePoint = 1; codePoint <= 0xe0fff; codePoint += 1) {
    const character = String.fromCodePoint(codePoint);
    if (!/[\p{Cs}\p{Co}\p{Cn}]/u.test(character)) yield character;
  }
}

const ALPHABET = [...'0123456789abcdefghijklmnopqrstuvwxyz'];
const hex = (character: string) => character.codePointAt(0)?.toString(16);

describe('canonicalIdentifier', () => {
  it.each([
    ['ADA', 'ada'],
    ['\u00e1d\u00e0', 'ada'],
    ['\uff21\u24b9\u1d43', 'ada'],
    ['\u212aate', 'kate'],
    ['stra\u00dfe', 'strasse'],
    ['STRA\u1e9eE', 'strasse'],
    ['\ua733ron', 'aaron'],
    // A combining a, which is a letter to collations and a mark to Unicode.
    ['d\u0363na', 'dana'],
    ['ad\u0640a', 'ada'],
    ['\u07faada', 'ada'],
    ['ad\u180aa\u1cd3', 'ada'],
    ['ad\ufe73a', 'ada'],
    ['ad\ufe70a', 'ada'],
    ['a\u200bd\u00ada', 'ada'],
    ['a\u0000d\u007fa', 'ada'],
    ['ada\u0661\u06f2\u0969\u{1d7d8}', 'ada1230'],
    ['ada\u2776\u3007\u{10107}', 'ada101'],
    ['ada\u24eb', 'ada11'],
    ['ada\u324f', 'ada80'],
  ])('is equal for %j and %j', (spelling, name) => {
    expect(canonicalIdentifier(spelling)).toBe(canonicalIdentifier(name));
    expect(canonicalIdentifier(`${spelling}@EXAMPLE.com`)).toBe(`${name}@example.com`);
  });

  it.each([
    ['ada1@example.com', 'ada2@example.com'],
    ['ada\u0661@example.com', 'ada\u0662@example.com'],
    ['ada@example.com', 'adaa@example.com'],
    ['a.da@example.com', 'ada@example.com'],
    ['a-da@example.com', 'a_da@example.com'],
    ['ada+1@example.com', 'ada1@example.com'],
    ['\u0430\u0434\u0430@example.com', 'ada@example.com'],
    ['\u0430@example.com', '\u0431@example.com'],
    ['\u6771@example.com', '\u4eac@example.com'],
  ])('differs for %j and %j', (name, otherName) => {
    expect(canonicalIdentifier(name)).not.toBe(canonicalIdentifier(otherName));
  });

  for (const [collation, sensitivity] of [
    ['accents count', 'accent'],
    ['accents do not count', 'base'],
  ] as const) {
    const { compare } = new Intl.Collator('en', { sensitivity });
    const sorted = ALPHABET.toSorted(compare);

    it(`ignores every character that collations ignore if ${collation}`, () => {
      const mismatches: unknown[] = [];
      for (const character of everyCharacter()) {
        const spelling = `ada${character}x`;
        if (compare(spelling, 'adax') !== 0) continue;
        if (canonicalIdentifier(spelling) !== 'adax') mismatches.push(hex(character));
      }
      expect(mismatches).toEqual([]);
    });

    it(`maps every character to its equal letter or digit of collations if ${collation}`, () => {
      const mismatches: unknown[] = [];
      for (const character of everyCharacter()) {
        // The letters are sorted, so only the first that is not before the character can be equal to it.
        const equal = sorted.find((letter) => compare(letter, character) >= 0);
        if (equal === undefined || compare(equal, character) !== 0) continue;
        const canonical = canonicalIdentifier(`ada${character}x`);
        if (canonical !== `ada${equal}x`) mismatches.push(hex(character));
      }
      expect(mismatches).toEqual([]);
    });
  }
});
