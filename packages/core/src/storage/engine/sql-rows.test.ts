import { expect, it } from 'vitest';
import { type SqlRow, type SqlRowStatements, sqlRows } from './sql-rows.ts';

/** Two tables, and what they were asked. */
function tables(...stored: readonly SqlRow[]) {
  const asked: string[] = [];
  const rows = new Map(stored.map((row) => [row.key, row]));
  const statements: SqlRowStatements = {
    find(key) {
      asked.push(`find ${key}`);
      return rows.get(key) ?? null;
    },
    range(index, { from, before, limit }) {
      asked.push(`range ${index} ${from} ${before} ${limit}`);
      return [...rows.values()];
    },
    put(row) {
      asked.push(`put ${row.key} ${row.value}`);
      rows.set(row.key, row);
    },
    delete: (key) => void asked.push(`delete ${key}`),
    putPlaces: (key, places) => void asked.push(`place ${key} ${places.join(' ')}`),
    deletePlaces: (key, indexes) => void asked.push(`displace ${key} ${indexes.join(' ')}`),
  };
  return { asked, rows: sqlRows(statements) };
}

const stored = { key: 'a', value: '1', indexes: '{"due":"5","of":"x"}', expiresAtMs: null };

it('a transaction reads a row once, and writes it by one statement if its index entries stay', async () => {
  const { asked, rows } = tables(stored);
  const row = await rows.get('a');
  expect(row).toEqual({ key: 'a', value: 1, indexes: { due: '5', of: 'x' }, expiresAtMs: null });
  await rows.put({ key: 'a', value: 2, indexes: { of: 'x', due: '5' }, expiresAtMs: null });
  expect(await rows.get('a')).toMatchObject({ value: 2 });
  expect(asked).toEqual(['find a', 'put a 2']);
});

it('a row that was read in a range is not read again', async () => {
  const { asked, rows } = tables(stored);
  await rows.range('due', { limit: 3 });
  await rows.get('a');
  expect(asked).toEqual(['range due  ~ 3']);
});

it('only changed index entries are written, and stale entries are deleted', async () => {
  const { asked, rows } = tables(stored);
  await rows.put({ key: 'a', value: 1, indexes: { due: '6', at: 'y' }, expiresAtMs: null });
  expect(asked).toEqual(['find a', 'put a 1', 'displace a of', 'place a due,6 at,y']);
});

it('a deleted row has no index entries when it is put again', async () => {
  const { asked, rows } = tables(stored);
  await rows.delete('a');
  await rows.delete('a');
  expect(await rows.get('a')).toBeNull();
  await rows.put({ key: 'a', value: 1, indexes: { due: '5' }, expiresAtMs: null });
  expect(asked).toEqual(['delete a', 'put a 1', 'place a due,5']);
});

it('values are stored as ASCII, even with lone surrogates', async () => {
  const { asked, rows } = tables();
  const value = 'å 😀 \ud800';
  await rows.put({ key: 'a', value, indexes: {}, expiresAtMs: null });
  expect(asked.at(-1)).toBe('put a "\\u00e5 \\ud83d\\ude00 \\ud800"');
  expect(await rows.get('a')).toMatchObject({ value });
});
