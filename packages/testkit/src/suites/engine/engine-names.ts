import assert from 'node:assert/strict';
import type { Row } from '@latchhook/core/storage';
import { assertFindsSoon, getOne, keysOf, putAll, rangeOf } from '../../actions/engine-calls.ts';
import { pluck } from '../../actions/pluck.ts';
import { type EngineFixture, type EngineSuite, engineSuite } from '../../engine/engine-suite.ts';
import { AWKWARD_NAMES, newRow, ORDERED_PLACES, placedRow } from '../../samples/row-samples.ts';

const ALL_NAMES = [...new Set(Object.values(AWKWARD_NAMES).flat())];
/** Pairs of names that join to the same text. */
const AMBIGUOUS_PAIRS = ['', ':', '/', '_', '-'].flatMap((separator) => [
  ['a', `b${separator}c`] as const,
  [`a${separator}b`, 'c'] as const,
]);

/** Names are compared by their bytes, even if the database compares texts otherwise. */
export const engineNames: EngineSuite = engineSuite('engine: names', {
  partitions: {
    'keeps partitions with similar names apart': async ({ engine }) => {
      for (const name of ALL_NAMES)
        await putAll(engine, name, placedRow('k', '1', { value: name }));
      for (const name of ALL_NAMES) {
        assert.equal((await getOne(engine, name, 'k'))?.value, name);
        assert.deepEqual(pluck(await rangeOf(engine, name, 'i'), 'value'), [name]);
      }
      const pick = (rows: readonly { partition: string }[]) =>
        rows.map(({ partition }) => partition).toSorted();
      await assertFindsSoon(engine, ['i', { limit: 99 }], pick, ALL_NAMES.toSorted());
    },

    'keeps rows of equal keys in two partitions apart': async ({ engine }) => {
      await putAll(engine, 'p', placedRow('a', '1'), placedRow('b', '2'));
      await putAll(engine, 'q', placedRow('a', '3', { value: 'of q' }));
      await engine.transact('q', async (rows) => {
        assert.equal(await rows.get('b'), null);
        assert.deepEqual(keysOf(await rows.range('i')), ['a']);
        await rows.delete('b');
        await rows.put(placedRow('a', '4', { value: 'of q' }));
      });
      await engine.transact('r', (rows) => rows.delete('a'));
      assert.deepEqual(await rangeOf(engine, 'p', 'i'), [placedRow('a', '1'), placedRow('b', '2')]);
      assert.deepEqual(await getOne(engine, 'q', 'a'), placedRow('a', '4', { value: 'of q' }));
    },

    'keeps apart pairs of partition and key that join to the same text': async ({ engine }) => {
      const value = (partition: string, key: string) => `${partition} and ${key}`;
      for (const [partition, key] of AMBIGUOUS_PAIRS) {
        await putAll(engine, partition, newRow(key, { value: value(partition, key) }));
      }
      for (const [partition, key] of AMBIGUOUS_PAIRS) {
        assert.equal((await getOne(engine, partition, key))?.value, value(partition, key));
      }
    },
  },

  names: {
    ...Object.fromEntries(
      Object.entries(AWKWARD_NAMES).map(([by, names]) => [
        `keeps apart rows whose keys differ ${by}`,
        ({ engine }: EngineFixture) => assertKeysApart(engine, names),
      ]),
    ),

    'keeps apart indexes whose names are similar or join with a place to the same text': async ({
      engine,
    }) => {
      const placed = [...ALL_NAMES.map((name) => [name, 'x'] as const), ...AMBIGUOUS_PAIRS];
      const rows = placed.map(([index, place], nth) =>
        newRow(`k${nth}`, { indexes: Object.fromEntries([[index, place]]) }),
      );
      await putAll(engine, 'p', ...rows, newRow('in-none'));
      for (const [index] of placed) {
        const expected = rows.filter(({ indexes }) => Object.hasOwn(indexes, index));
        const keys = keysOf(expected).toSorted();
        assert.deepEqual(keysOf(await rangeOf(engine, 'p', index)).toSorted(), keys);
        const pick = (found: readonly Row[]) => keysOf(found).toSorted();
        await assertFindsSoon(engine, [index, { limit: 99 }], pick, keys);
      }
    },

    'keeps similar places apart': async ({ engine }) => {
      const places = ALL_NAMES.toSorted();
      await putAll(engine, 'p', ...places.map((place, nth) => placedRow(`k${nth}`, place)));
      for (const [nth, place] of places.entries()) {
        const next = places[nth + 1];
        const rows = await rangeOf(engine, 'p', 'i', {
          from: place,
          ...(next && { before: next }),
        });
        assert.deepEqual(placesOf(rows), [place]);
      }
    },

    'orders places by bytes in ranges': async (fixture) => {
      await putInDisorder(fixture, ['p']);
      const rows = await rangeOf(fixture.engine, 'p', 'i');
      assert.deepEqual(placesOf(rows), ORDERED_PLACES);
    },
  },

  found: {
    'orders places by bytes in find()': async (fixture) => {
      await putInDisorder(fixture, ['p', 'q']);
      const expected = ORDERED_PLACES.flatMap((place) => [place, place]);
      const request = { limit: expected.length };
      await assertFindsSoon(
        fixture.engine,
        ['i', request],
        (rows) => rows.map(({ indexes }) => indexes['i']),
        expected,
      );
    },
  },
});

function placesOf(rows: readonly Row[]) {
  return rows.map(({ indexes }) => indexes['i']);
}

async function assertKeysApart(
  engine: EngineFixture['engine'],
  keys: readonly string[],
): Promise<void> {
  await putAll(engine, 'p', ...keys.map((key) => placedRow(key, 'x')));
  const assertRemaining = async (remaining: readonly string[]) => {
    for (const key of keys) {
      const expected = remaining.includes(key) ? placedRow(key, 'x') : null;
      assert.deepEqual(await getOne(engine, 'p', key), expected);
    }
    assert.deepEqual(keysOf(await rangeOf(engine, 'p', 'i')).toSorted(), remaining.toSorted());
  };
  await assertRemaining(keys);
  for (const [nth, key] of keys.entries()) {
    await engine.transact('p', (rows) => rows.delete(key));
    await assertRemaining(keys.slice(nth + 1));
  }
}

async function putInDisorder(
  { engine }: EngineFixture,
  partitions: readonly string[],
): Promise<void> {
  const count = ORDERED_PLACES.length;
  // 7 and the number of places have no common divisor, so each place occurs once.
  const disordered = ORDERED_PLACES.map((_, nth) => ORDERED_PLACES[(nth * 7) % count] ?? '');
  for (const partition of partitions) {
    await putAll(engine, partition, ...disordered.map((place, nth) => placedRow(`k${nth}`, place)));
  }
}
