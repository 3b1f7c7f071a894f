import { describe, expect, it } from 'vitest';
import { storableText, storedText } from './storable-text.ts';

const ODD = [
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
  it('leaves ordinary text as it is', () => {
    for (const text of ['ada', '42', 'ünï\u{1F512}', "o'hara", 'a b:c{d}']) {
      expect(storableText(text)).toBe(text);
    }
  });

  it('returns well-formed text without NUL', () => {
    for (const text of ODD) {
      expect(storableText(text)).not.toContain('\u0000');
      expect(storableText(text).isWellFormed()).toBe(true);
    }
  });

  it('never maps two texts to the same one, and is undone by storedText', () => {
    expect(new Set(ODD.map(storableText)).size).toBe(ODD.length);
    for (const text of ODD) expect(storedText(storableText(text))).toBe(text);
  });
});
