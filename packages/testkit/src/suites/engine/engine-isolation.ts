import assert from 'node:assert/strict';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import {
  getOne,
  increment,
  putAll,
  rangeOf,
  readsDuringFailure,
} from '../../actions/engine-calls.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { pluck } from '../../actions/pluck.ts';
import { type EngineFixture, type EngineSuite, engineSuite } from '../../engine/engine-suite.ts';
import { newRow, placedRow } from '../../samples/row-samples.ts';

/** Transactions of one partition run as if one after the other: each test case covers one way to break this. */
export const engineIsolation: EngineSuite = engineSuite('engine: isolation', {
  serialisable: {
    'loses none of fifty parallel increments over one connection': ({ engine }) =>
      assertNoneLost([engine], 50),

    'loses none of fifty parallel increments over eight connections': async ({ connections }) =>
      assertNoneLost(await connections(8), 50),

    'loses none of fifty parallel increments of transactions with a firstKey': async ({
      connections,
    }) => assertNoneLost(await connections(8), 50, undefined, 'n'),

    'loses none of twelve parallel increments even if work takes long': async ({ connections }) =>
      assertNoneLost(await connections(4), 12, () => delay(5)),

    'prevents write skew between two parallel transactions': async ({ engine, connections }) => {
      const processes = await connections(4);
      const ROUNDS = 12;
      for (let round = 0; round < ROUNDS; round += 1) {
        const partition = `p${round}`;
        await putAll(engine, partition, newRow('a', { value: 1 }), newRow('b', { value: 1 }));
        await inParallel(2, processes, (connection, nth) =>
          connection.transact(partition, async (rows) => {
            const readRows = [await rows.get('a'), await rows.get('b')];
            await nextTurn();
            if (readRows.every((row) => row?.value === 1)) {
              await rows.put(newRow(nth === 0 ? 'a' : 'b', { value: 0 }));
            }
          }),
        );
        const rows = [await getOne(engine, partition, 'a'), await getOne(engine, partition, 'b')];
        const values = rows.map((row) => row?.value).toSorted();
        assert.deepEqual(values, [0, 1], 'both saw both rows as they were, and each wrote one');
      }
    },

    'prevents phantom rows in a range that was read': async ({ engine, inParallel }) => {
      await inParallel(20, (connection, nth) =>
        connection.transact('p', async (rows) => {
          const inRange = await rows.range('i');
          await nextTurn();
          if (inRange.length < 3) await rows.put(placedRow(`k${nth}`, `place-${nth}`));
        }),
      );
      assert.equal(
        (await rangeOf(engine, 'p', 'i')).length,
        3,
        'three rows, put by twenty transactions',
      );
    },

    'keeps rows put while others empty the partition': async ({ engine, connections }) => {
      const [emptier = engine, writer = engine] = await connections(2);
      for (let nth = 0; nth < 40; nth += 1) {
        await putAll(engine, 'p', placedRow('last', '1'));
        await Promise.all([
          emptier.transact('p', (rows) => rows.delete('last')),
          putAll(writer, 'p', placedRow('put', '2')),
        ]);
        assert.deepEqual(await getOne(engine, 'p', 'put'), placedRow('put', '2'));
        await engine.transact('p', (rows) => rows.delete('put'));
      }
    },

    'returns the same rows to each read of a transaction': async ({ engine, inParallel }) => {
      await putAll(engine, 'p', placedRow('a', '1', { value: 0 }));
      const reads = await inParallel(24, (connection, nth) =>
        connection.transact('p', async (rows) => {
          const readAll = async () =>
            [await rows.get('a'), ...(await rows.range('i'))].map((row) => row?.value);
          const first = await readAll();
          await delay(1);
          const second = await readAll();
          await rows.put(placedRow('a', '1', { value: nth }));
          return { first, second };
        }),
      );
      for (const { first, second } of reads) assert.deepEqual(second, first);
    },
  },

  visible: {
    'shows no uncommitted rows to other transactions': async ({ engine, connections }) => {
      await putAll(engine, 'p', placedRow('a', '1', { value: 'clean' }));
      const others = await connections(4);
      const written = [
        placedRow('a', '1', { value: 'dirty' }),
        placedRow('b', '2', { value: 'dirty' }),
      ];
      const read = () => inParallel(20, others, (connection) => rangeOf(connection, 'p', 'i'));
      const reads = (await readsDuringFailure(engine, 'p', written, read)).flat();
      for (const rows of reads) {
        assert.deepEqual(pluck(rows, 'value'), ['clean']);
      }
    },
  },

  again: {
    'runs work again on committed rows only': async ({ engine, inParallel }) => {
      const owners = await inParallel(30, (connection, nth) =>
        connection.transact('p', async (rows) => {
          const key = `owner-${await increment(rows, 'n')}`;
          await rows.put(placedRow(key, 'x', { value: nth }));
          return [key, nth] as const;
        }),
      );
      const rows = await rangeOf(engine, 'p', 'i');
      const byKey = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
      assert.deepEqual(byKey, Object.fromEntries(owners));
      assert.equal(rows.length, 30);
    },
  },
});

/** Increments a number `count` times in parallel, and asserts that each increment read another value. */
async function assertNoneLost(
  processes: Awaited<ReturnType<EngineFixture['connections']>>,
  count: number,
  pause: () => Promise<unknown> = nextTurn,
  firstKey?: string,
): Promise<void> {
  const readValues = await inParallel(count, processes, (engine) =>
    engine.transact('p', (rows) => increment(rows, 'n', pause), firstKey),
  );
  const different = new Set(readValues).size;
  assert.equal(different, count, `${count} increments have found ${different} different numbers`);
  assert.equal(Math.max(...readValues), count - 1);
}
