import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { type EngineFixture, type EngineSuite, engineSuite } from '../../engine/engine-suite.ts';
import { newRow, rowAt } from '../../samples/row-samples.ts';

const LETTERS = 'ä ß ñ Ω ж 漢 \u00e9 e\u0301 \ufb03 İ ı';
const DEEP: unknown = Array.from({ length: 60 }).reduce<unknown>((inner) => [inner], 'the core');

/** Values that a database may change. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  'nested, empty and mixed values': [
    { a: { b: [{ c: null }, [], {}] } },
    [],
    {},
    [[], [[]]],
    [null],
    DEEP,
  ],
  'values that look like those of another type': [
    ...['1', '1.0', '01', 'true', 'null', '', 'undefined', '[]', '{}', '"quoted"'],
    ...['2026-01-01', '2026-01-01T00:00:00.000Z'],
    ...[1, true, null, 0, false],
  ],
  'texts of all alphabets, composed or not, and emoji': [
    LETTERS,
    '👍🏽',
    '👨‍👩‍👧',
    '\u{1F512}\u{10FFFF}',
  ],
  'texts with NUL, control characters and line separators': [
    'a\u0000b',
    '\u0000',
    '\u0001\u001f\u007f',
    'a\r\nb\tc',
    '\u2028\u2029',
    '\ufeff',
    '\\u0000',
  ],
  'texts with lone surrogates': ['\ud83d', 'a\udc4db', '\udc4d\ud83d'],
  'texts with quotes, escapes and surrounding spaces': [
    `it's "so" \`here\``,
    '\\',
    '\\n',
    '\\\\',
    ' a ',
    'a ',
    '   ',
    '%_*?',
    '$1 {{y}}',
    "'; --",
  ],
  'numbers up to the limits of a double': [
    ...[0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 4_294_967_296, 1_700_000_000_123],
    ...[0.1, -0.5, 1 / 3, 1e-7, 1e21, Number.MAX_VALUE, Number.MIN_VALUE],
  ],
  'objects with unusual member names': [
    JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "toString": 3}'),
    { '': 1, ' ': 2, 'a.b': 3, $set: 4, '$a.$b': 5, 'a\u0000b': 6, A: 7, a: 8, ä: 9 },
    { key: 'k', value: 'v', indexes: 'i', partition: 'p', expiresAtMs: 'e', _id: 'x' },
  ],
  lists: [[3, 1, 2, 1], ['b', 'a', 'B'], Array.from({ length: 1000 }, (_, n) => n)],
};

/** A mebibyte as JSON, with the quotes. */
const MEBIBYTE = 'x'.repeat(2 ** 20 - 2);

/** Reads return values as they were put. */
export const engineValues: EngineSuite = engineSuite('engine: values', {
  value: {
    ...Object.fromEntries(
      Object.entries(VALUES).map(([kind, values]) => [
        `returns ${kind} unchanged`,
        (t: EngineFixture) => assertUnchanged(t, values),
      ]),
    ),

    'returns a mebibyte of JSON unchanged': async (t) => {
      await t.put(newRow('a', { value: MEBIBYTE }));
      const { value } = (await t.get('a')) ?? {};
      assert.ok(isDeepStrictEqual(value, MEBIBYTE), `comes back ${String(value).length} long`);
    },
  },
});

async function assertUnchanged(t: EngineFixture, values: readonly unknown[]): Promise<void> {
  const row = (value: unknown, nth: number) => rowAt(`k${nth}`, `${nth}`, { value });
  await t.put(...values.map(row));
  const inRange = (await t.range()).map(({ key, value }) => [key, value] as const);
  const valuesByKey = new Map(inRange);
  for (const [nth, value] of values.entries()) {
    const expected = JSON.parse(JSON.stringify(value));
    assert.deepEqual((await t.get(`k${nth}`))?.value, expected);
    assert.deepEqual(valuesByKey.get(`k${nth}`), expected);
  }
}
