import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { RangeRequest } from '@latchhook/core/storage';
import { keysOf } from '../../actions/engine-calls.ts';
import { type EngineFixture, type EngineSuite, engineSuite } from '../../engine/engine-suite.ts';
import { newRow, rowAt } from '../../samples/row-samples.ts';

/** More than one page of any driver, which has up to 100 rows or a megabyte. */
const MANY_ROWS = 300;
const CHARACTERS_PER_ROW = 4_000;

export const engineRanges: EngineSuite = engineSuite('engine: ranges', {
  from: {
    'starts at the sort key `from`, inclusive': (t) =>
      assertRanges(t, [
        [{ from: '3' }, 'c d e'],
        [{ from: '2a' }, 'c d e'],
        [{ from: '6' }, ''],
      ]),
  },

  before: {
    'ends before the sort key `before`, exclusive': (t) =>
      assertRanges(t, [
        [{ before: '3' }, 'a b'],
        [{ before: '3a' }, 'a b c'],
        [{ from: '2', before: '4' }, 'b c'],
        [{ from: '3', before: '3' }, ''],
        [{ from: '4', before: '2' }, ''],
        [{ before: '1' }, ''],
      ]),
  },

  limit: {
    'returns the first rows up to the limit': (t) =>
      assertRanges(t, [
        [{ limit: 1 }, 'a'],
        [{ limit: 3 }, 'a b c'],
        [{ limit: 9 }, 'a b c d e'],
        [{ from: '2', limit: 2 }, 'b c'],
        [{ from: '2', before: '4', limit: 1 }, 'b'],
        [{ from: '2', before: '4', limit: 5 }, 'b c'],
      ]),
  },

  order: {
    'returns rows in the order of sort keys, not of keys or writes': async (t) => {
      await t.put(rowAt('c', '2'), rowAt('a', '3'), rowAt('b', '1'));
      await t.put(rowAt('d', '10'), rowAt('c', '4'));
      assert.deepEqual(keysOf(await t.range()), ['b', 'd', 'a', 'c']);
    },

    'returns all rows of one sort key': async (t) => {
      const sameSortKeyRows = ['a', 'b', 'c'].map((key) => rowAt(key, '5'));
      await t.put(...sameSortKeyRows, rowAt('d', '4'), rowAt('e', '6'));
      const keys = keysOf(await t.range());
      assert.deepEqual(
        [keys[0], keys.slice(1, 4).toSorted(), keys[4]],
        ['d', ['a', 'b', 'c'], 'e'],
      );
      const rowsWithSortKey = await t.range('i', { from: '5', before: '6' });
      assert.deepEqual(keysOf(rowsWithSortKey).toSorted(), ['a', 'b', 'c']);
      assert.equal((await t.range('i', { from: '5', limit: 2 })).length, 2);
    },

    'returns an empty range if no row matches': async (t) => {
      assert.deepEqual(await t.range(), []);
      await t.put(rowAt('a', '1'));
      assert.deepEqual(await t.range('j'), []);
      assert.deepEqual(await t.in('q').range(), []);
      await t.delete('a');
      assert.deepEqual(await t.range(), []);
    },
  },

  indexes: {
    'returns a row in all of its indexes, but in no other index': async (t) => {
      const indexedRow = newRow('a', { indexes: { i: '2', j: '1', k: '9' } });
      await t.put(indexedRow, rowAt('b', '1'), newRow('c', { indexes: { j: '2' } }));
      await t.put(newRow('d'));
      assert.deepEqual(keysOf(await t.range()), ['b', 'a']);
      assert.deepEqual(keysOf(await t.range('j')), ['a', 'c']);
      assert.deepEqual(await t.range('k'), [indexedRow]);
    },
  },

  all: {
    'returns hundreds of rows of more than a megabyte': async (t) => {
      // Values that no database can compress, under keys like those of core.
      const value = () => randomBytes((CHARACTERS_PER_ROW / 4) * 3).toString('base64');
      const rows = Array.from({ length: MANY_ROWS }, (_, nth) => {
        const key = createHash('sha256').update(`key ${nth}`).digest('base64url');
        return rowAt(key, String(nth).padStart(4, '0'), { value: value() });
      });
      for (let from = 0; from < rows.length; from += 25) {
        await t.put(...rows.slice(from, from + 25));
      }
      assert.deepEqual(keysOf(await t.range()), keysOf(rows));
      const readValues = await t.transact(async ({ get }) => {
        const values: unknown[] = [];
        for (const { key } of rows) values.push((await get(key))?.value);
        return values;
      });
      assert.deepEqual(
        readValues,
        rows.map((row) => row.value),
      );
    },
  },
});

/** Asserts the keys in ranges of the rows `a` to `e` at the sort keys `1` to `5`. */
async function assertRanges(
  t: EngineFixture,
  ranges: readonly (readonly [request: RangeRequest, keys: string])[],
): Promise<void> {
  const rows = ['d', 'b', 'e', 'a', 'c'].map((key) => rowAt(key, String(' abcde'.indexOf(key))));
  await t.put(...rows);
  await t.in('q').put(rowAt('other', '3'));
  for (const [request, keys] of ranges) {
    assert.equal(keysOf(await t.range('i', request)).join(' '), keys);
  }
}
