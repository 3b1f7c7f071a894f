import type { Row } from '@latchhook/core/storage';

export function newRow(key: string, change: Partial<Row> = {}): Row {
  return { key, value: `value of ${key}`, indexes: {}, expiresAtMs: null, ...change };
}

/** A row in one index, `i`. */
export function rowAt(key: string, sortKey: string, change: Partial<Row> = {}): Row {
  return newRow(key, { indexes: { i: sortKey }, ...change });
}

const LONG = 'x'.repeat(127);

/** Keys that a database might treat as equal, by how they differ. */
export const AWKWARD_NAMES: Readonly<Record<string, readonly string[]>> = {
  'by letter case': ['key', 'Key', 'KEY', 'kEY'],
  'by one character at the beginning or the end':
    'key key_ key- key/ key: key0 _key -key /key :key 0key'.split(' '),
  'by a character that is a wildcard elsewhere': 'a_c abc a-c a:c a/c ___ a__ a-- _'.split(' '),
  'but are equal as numbers': ['1', '01', '1e0', '0x1', '10', '1e1', '0', '-0', '00'],
  'in the last of 128 characters': [`${LONG}a`, `${LONG}b`, `${LONG}A`, LONG],
  'and are names of object members or keywords':
    '__proto__ constructor toString length null undefined true NaN'.split(' '),
};

/** Sort keys in the order of their bytes: `-` is the first character, and letters in lower case are the last. */
export const ORDERED_SORT_KEYS: readonly string[] =
  '- -0 / 0 0- 00 0A 10 9 9a : A A0 Aa Z _ a a- a/ a0 a: aA a_ aa z'.split(' ');
