import { expect, it } from 'vitest';
import { type SqlRow, type SqlRowStatements, sqlRows } from './sql-rows.ts';

/** A table of rows in memory, and a log of the statements. */
function tables(...stored: readonly SqlRow[]) {
  const statements: string[] = [];
  const rows = new Map(stored.map((row) => [row.key, row]));
  const table: SqlRowStatements = {
    find(keys) {
      statements.push(`find ${keys.join(' ')}`);
      return keys.flatMap((key) => rows.get(key) ?? []);
    },
    range(index, { from, before, limit }) {
      statements.push(`range ${index} ${from} ${before} ${limit}`);
      return [...rows.values()];
    },
    delete: (keys) => void statements.push(`delete ${keys.join(' ')}`),
    put: (puts) =>
      void statements.push(`put ${puts.map(({ key, value }) => `${key} ${value}`).join(' ')}`),
    deleteIndexEntries: (entries) =>
      void statements.push(
        `unindex ${entries.map(({ key, index }) => `${key} ${index}`).join(' ')}`,
      ),
    putIndexEntries: (entries) =>
      void statements.push(
        `index ${entries.map(({ key, index, sortKey }) => `${key} ${index},${sortKey}`).join(' ')}`,
      ),
  };
  return { statements, rows: sqlRows(table) };
}

const stored = { key: 'a', value: '1', indexes: '{"due":"5","of":"x"}', expiresAtMs: null };

it('sqlRows reads a row once, and writes it by one statement if its indexes are unchanged', async () => {
  const { statements, rows } = tables(stored);
  const row = await rows.get('a');
  expect(row).toEqual({ key: 'a', value: 1, indexes: { due: '5', of: 'x' }, expiresAtMs: null });
  await rows.put({ key: 'a', value: 2, indexes: { of: 'x', due: '5' }, expiresAtMs: null });
  expect(await rows.get('a')).toMatchObject({ value: 2 });
  await rows.flush();
  expect(statements).toEqual(['find a', 'put a 2']);
});

it('sqlRows finds rows by one statement if they are got at the same time', async () => {
  const { statements, rows } = tables(stored, { ...stored, key: 'b' });
  const found = await Promise.all(['a', 'b', 'c', 'a'].map((key) => rows.get(key)));
  expect(found.map((row) => row?.key)).toEqual(['a', 'b', undefined, 'a']);
  await rows.get('d');
  expect(statements).toEqual(['find a b c', 'find d']);
});

it('sqlRows does not read a row again that was read in a range', async () => {
  const { statements, rows } = tables(stored);
  await rows.range('due', { limit: 3 });
  await rows.get('a');
  expect(statements).toEqual(['range due  ~ 3']);
});

it('sqlRows reads more rows than the limit of a range only if a row of the range was replaced', async () => {
  const { statements, rows } = tables(stored);
  await rows.get('a');
  await rows.put({ key: 'a', value: 1, indexes: { of: 'z' }, expiresAtMs: null });
  expect(await rows.range('due', { limit: 1 })).toEqual([]);
  await rows.range('due', { from: '6', limit: 1 });
  await rows.range('other', { limit: 1 });
  expect(statements.slice(1)).toEqual(['range due  ~ 2', 'range due 6 ~ 1', 'range other  ~ 1']);
});

it('sqlRows writes only changed entries, and deletes removed ones', async () => {
  const { statements, rows } = tables(stored);
  await rows.put({ key: 'a', value: 1, indexes: { due: '6', at: 'y' }, expiresAtMs: null });
  await rows.flush();
  expect(statements).toEqual(['find a', 'put a 1', 'unindex a of', 'index a due,6 a at,y']);
});

it('sqlRows writes all rows of a transaction together, and each once', async () => {
  const { statements, rows } = tables(stored, { ...stored, key: 'b' });
  for (const value of [1, 2]) {
    for (const key of ['c', 'd'])
      await rows.put({ key, value, indexes: { due: key }, expiresAtMs: null });
  }
  for (const key of ['a', 'b', 'x']) await rows.delete(key);
  await rows.flush();
  expect(statements).toEqual([
    'find c d a b x',
    'delete a b',
    'put c 2 d 2',
    'index c due,c d due,d',
  ]);
});

it('sqlRows writes only the entries that have changed if a row is put again after its deletion', async () => {
  const { statements, rows } = tables(stored);
  await rows.delete('a');
  expect(await rows.get('a')).toBeNull();
  await rows.put({ key: 'a', value: 1, indexes: { due: '5' }, expiresAtMs: null });
  await rows.flush();
  expect(statements).toEqual(['find a', 'put a 1', 'unindex a of']);
});

it('sqlRows limits the rows and the characters of a statement', async () => {
  const { statements, rows } = tables();
  const put = (key: string, value: string) =>
    rows.put({ key, value, indexes: {}, expiresAtMs: null });
  for (let nth = 0; nth < 130; nth += 1) await put(`k${nth}`, '');
  for (const key of ['x', 'y', 'z']) await put(key, 'long'.repeat(150_000));
  await rows.flush();
  const counts = statements.map((text) => [text.slice(0, 4), text.match(/\b[kxyz]\d*\b/g)?.length]);
  expect(counts).toEqual([
    ['find', 128],
    ['find', 5],
    ['put ', 128],
    ['put ', 2],
    ['put ', 1],
    ['put ', 1],
    ['put ', 1],
  ]);
});

it('sqlRows stores values as ASCII, even with lone surrogates', async () => {
  const { statements, rows } = tables();
  const value = 'å 😀 \ud800';
  await rows.put({ key: 'a', value, indexes: {}, expiresAtMs: null });
  expect(await rows.get('a')).toMatchObject({ value });
  await rows.flush();
  expect(statements.at(-1)).toBe('put a "\\u00e5 \\ud83d\\ude00 \\ud800"');
});
