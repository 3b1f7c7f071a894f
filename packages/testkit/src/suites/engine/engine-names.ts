import assert from 'node:assert/strict';
import type { Row } from '@latchhook/core/storage';
import { keysOf } from '../../actions/engine-calls.ts';
import { pluck } from '../../actions/pluck.ts';
import { type EngineFixture, type EngineSuite, engineSuite } from '../../engine/engine-suite.ts';
import { AWKWARD_NAMES, newRow, ORDERED_SORT_KEYS, rowAt } from '../../samples/row-samples.ts';

const ALL_NAMES = [...new Set(Object.values(AWKWARD_NAMES).flat())];
/** Pairs of names that join to the same text. */
const AMBIGUOUS_PAIRS = ['', ':', '/', '_', '-'].flatMap((separator) => [
  ['a', `b${separator}c`] as const,
  [`a${separator}b`, 'c'] as const,
]);

/** Names are compared by their bytes, even if the database compares texts otherwise. */
export const engineNames: EngineSuite = engineSuite('engine: names', {
  partitions: {
    'keeps partitions with similar names apart': async (t) => {
      for (const name of ALL_NAMES) await t.in(name).put(rowAt('k', '1', { value: name }));
      for (const name of ALL_NAMES) {
        assert.equal((await t.in(name).get('k'))?.value, name);
        assert.deepEqual(pluck(await t.in(name).range(), 'value'), [name]);
      }
      const pick = (rows: readonly { partition: string }[]) =>
        rows.map(({ partition }) => partition).toSorted();
      await t.assertFinds(ALL_NAMES.toSorted(), { limit: 99, pick });
    },

    'keeps rows of equal keys in two partitions apart': async (t) => {
      await t.put(rowAt('a', '1'), rowAt('b', '2'));
      await t.in('q').put(rowAt('a', '3', { value: 'of q' }));
      await t.in('q').transact(async (rows) => {
        assert.equal(await rows.get('b'), null);
        assert.deepEqual(keysOf(await rows.range('i')), ['a']);
        await rows.delete('b');
        await rows.put(rowAt('a', '4', { value: 'of q' }));
      });
      await t.in('r').delete('a');
      assert.deepEqual(await t.range(), [rowAt('a', '1'), rowAt('b', '2')]);
      assert.deepEqual(await t.in('q').get('a'), rowAt('a', '4', { value: 'of q' }));
    },

    'keeps apart pairs of partition and key that join to the same text': async (t) => {
      const value = (partition: string, key: string) => `${partition} and ${key}`;
      for (const [partition, key] of AMBIGUOUS_PAIRS) {
        await t.in(partition).put(newRow(key, { value: value(partition, key) }));
      }
      for (const [partition, key] of AMBIGUOUS_PAIRS) {
        assert.equal((await t.in(partition).get(key))?.value, value(partition, key));
      }
    },
  },

  names: {
    ...Object.fromEntries(
      Object.entries(AWKWARD_NAMES).map(([by, names]) => [
        `keeps apart rows whose keys differ ${by}`,
        (t: EngineFixture) => assertKeysApart(t, names),
      ]),
    ),

    'keeps similar indexes apart, also if index and sort key join to the same text': async (t) => {
      const indexed = [...ALL_NAMES.map((name) => [name, 'x'] as const), ...AMBIGUOUS_PAIRS];
      const rows = indexed.map(([index, sortKey], nth) =>
        newRow(`k${nth}`, { indexes: Object.fromEntries([[index, sortKey]]) }),
      );
      await t.put(...rows, newRow('in-none'));
      for (const [index] of indexed) {
        const expected = rows.filter(({ indexes }) => Object.hasOwn(indexes, index));
        const keys = keysOf(expected).toSorted();
        assert.deepEqual(keysOf(await t.range(index)).toSorted(), keys);
        const pick = (found: readonly Row[]) => keysOf(found).toSorted();
        await t.assertFinds(keys, { index, limit: 99, pick });
      }
    },

    'keeps similar sort keys apart': async (t) => {
      const sortKeys = ALL_NAMES.toSorted();
      await t.put(...sortKeys.map((sortKey, nth) => rowAt(`k${nth}`, sortKey)));
      for (const [nth, sortKey] of sortKeys.entries()) {
        const next = sortKeys[nth + 1];
        const rows = await t.range('i', {
          from: sortKey,
          ...(next && { before: next }),
        });
        assert.deepEqual(sortKeysOf(rows), [sortKey]);
      }
    },

    'orders sort keys by bytes in ranges': async (t) => {
      await putInDisorder(t, ['p']);
      const rows = await t.range();
      assert.deepEqual(sortKeysOf(rows), ORDERED_SORT_KEYS);
    },
  },

  found: {
    'orders sort keys by bytes in find()': async (t) => {
      await putInDisorder(t, ['p', 'q']);
      const expected = ORDERED_SORT_KEYS.flatMap((sortKey) => [sortKey, sortKey]);
      await t.assertFinds(expected, {
        limit: expected.length,
        pick: sortKeysOf,
      });
    },
  },
});

function sortKeysOf(rows: readonly Row[]) {
  return rows.map(({ indexes }) => indexes['i']);
}

async function assertKeysApart(t: EngineFixture, keys: readonly string[]): Promise<void> {
  await t.put(...keys.map((key) => rowAt(key, 'x')));
  const assertRemaining = async (remaining: readonly string[]) => {
    for (const key of keys) {
      const expected = remaining.includes(key) ? rowAt(key, 'x') : null;
      assert.deepEqual(await t.get(key), expected);
    }
    assert.deepEqual(keysOf(await t.range()).toSorted(), remaining.toSorted());
  };
  await assertRemaining(keys);
  for (const [nth, key] of keys.entries()) {
    await t.delete(key);
    await assertRemaining(keys.slice(nth + 1));
  }
}

async function putInDisorder(t: EngineFixture, partitions: readonly string[]): Promise<void> {
  const count = ORDERED_SORT_KEYS.length;
  // 7 and the number of sort keys have no common divisor, so each sort key occurs once.
  const disordered = ORDERED_SORT_KEYS.map((_, nth) => ORDERED_SORT_KEYS[(nth * 7) % count] ?? '');
  for (const partition of partitions) {
    await t.in(partition).put(...disordered.map((sortKey, nth) => rowAt(`k${nth}`, sortKey)));
  }
}
