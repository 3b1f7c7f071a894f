import { expect, it } from 'vitest';
import { type SqlRow, type SqlRowStatements, sqlRows } from './sql-rows.ts';

/** A table of rows in memory, and a log of the statements. */
function tables(...stored: readonly SqlRow[]) {
  const statements: string[] = [];
  const rows = new Map(stored.map((row) => [row.key, row]));
  const table: SqlRowStatements = {
    find(key) {
      statements.push(`find ${key}`);
      return rows.get(key) ?? null;
    },
    range(index, { from, before, limit }) {
      statements.push(`range ${index} ${from} ${before} ${limit}`);
      return [...rows.values()];
    },
    put(row) {
      statements.push(`put ${row.key} ${row.value}`);
      rows.set(row.key, row);
    },
    delete: (key) => void statements.push(`delete ${key}`),
    putPlaces: (key, places) => void statements.push(`place ${key} ${places.join(' ')}`),
    deletePlaces: (key, indexes) => void statements.push(`displace ${key} ${indexes.join(' ')}`),
  };
  return { statements, rows: sqlRows(table) };
}

const stored = { key: 'a', value: '1', indexes: '{"due":"5","of":"x"}', expiresAtMs: null };

it('sqlRows reads a row once, and writes it by one statement if its places are unchanged', async () => {
  const { statements, rows } = tables(stored);
  const row = await rows.get('a');
  expect(row).toEqual({ key: 'a', value: 1, indexes: { due: '5', of: 'x' }, expiresAtMs: null });
  await rows.put({ key: 'a', value: 2, indexes: { of: 'x', due: '5' }, expiresAtMs: null });
  expect(await rows.get('a')).toMatchObject({ value: 2 });
  expect(statements).toEqual(['find a', 'put a 2']);
});

it('sqlRows does not read a row again that was read in a range', async () => {
  const { statements, rows } = tables(stored);
  await rows.range('due', { limit: 3 });
  await rows.get('a');
  expect(statements).toEqual(['range due  ~ 3']);
});

it('sqlRows writes only changed places, and deletes removed ones', async () => {
  const { statements, rows } = tables(stored);
  await rows.put({ key: 'a', value: 1, indexes: { due: '6', at: 'y' }, expiresAtMs: null });
  expect(statements).toEqual(['find a', 'put a 1', 'displace a of', 'place a due,6 at,y']);
});

it('sqlRows writes all places of a row that is put again after its deletion', async () => {
  const { statements, rows } = tables(stored);
  await rows.delete('a');
  await rows.delete('a');
  expect(await rows.get('a')).toBeNull();
  await rows.put({ key: 'a', value: 1, indexes: { due: '5' }, expiresAtMs: null });
  expect(statements).toEqual(['delete a', 'put a 1', 'place a due,5']);
});

it('sqlRows stores values as ASCII, even with lone surrogates', async () => {
  const { statements, rows } = tables();
  const value = 'å 😀 \ud800';
  await rows.put({ key: 'a', value, indexes: {}, expiresAtMs: null });
  expect(statements.at(-1)).toBe('put a "\\u00e5 \\ud83d\\ude00 \\ud800"');
  expect(await rows.get('a')).toMatchObject({ value });
});
