import { describe, expect, it } from 'vitest';
import { storableText, storedText } from './storable-text.ts';

const STRINGS_TO_ENCODE = [
  'a\u0000b',
  'a\\u0000b',
  'a"b',
  'a\\b',
  '\ud800',
  '\udfff',
  '\\ud800',
  '\n',
  '\\n',
  '',
];

describe('storableText', () => {
  it('leaves ordinary text unchanged', () => {
    for (const text of ['ada', '42', 'ünï\u{1F512}', "o'hara", 'a b:c{d}']) {
      expect(storableText(text)).toBe(text);
    }
  });

  it('returns well-formed text without NUL', () => {
    for (const text of STRINGS_TO_ENCODE) {
      expect(storableText(text)).not.toContain('\u0000');
      expect(storableText(text).isWellFormed()).toBe(true);
    }
  });

  it('is reversed by storedText, so two texts never have the same result', () => {
    expect(new Set(STRINGS_TO_ENCODE.map(storableText)).size).toBe(STRINGS_TO_ENCODE.length);
    for (const text of STRINGS_TO_ENCODE) expect(storedText(storableText(text))).toBe(text);
  });
});
