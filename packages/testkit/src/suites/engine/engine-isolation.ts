import assert from 'node:assert/strict';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { increment, readsDuringFailure } from '../../actions/engine-calls.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { pluck } from '../../actions/pluck.ts';
import type { EngineConnection } from '../../engine/engine-connection.ts';
import { type EngineSuite, engineSuite } from '../../engine/engine-suite.ts';
import { newRow, rowAt } from '../../samples/row-samples.ts';

/** Transactions of one partition run as if one after the other: each test case covers one way to break this. */
export const engineIsolation: EngineSuite = engineSuite('engine: isolation', {
  serialisable: {
    'loses none of fifty parallel increments over one connection': (t) => assertNoneLost([t], 50),

    'loses none of fifty parallel increments over eight connections': async (t) =>
      assertNoneLost(await t.connections(8), 50),

    'loses none of fifty parallel increments of transactions with a firstKey': async (t) =>
      assertNoneLost(await t.connections(8), 50, undefined, 'n'),

    'loses none of twelve parallel increments even if work takes long': async (t) =>
      assertNoneLost(await t.connections(4), 12, () => delay(5)),

    'prevents write skew between two parallel transactions': async (t) => {
      await t.rounds(12, async (round, processes) => {
        const partition = `p${round}`;
        await t.in(partition).put(newRow('a', { value: 1 }), newRow('b', { value: 1 }));
        await inParallel(2, processes, (connection, nth) =>
          connection.in(partition).transact(async (rows) => {
            const readRows = [await rows.get('a'), await rows.get('b')];
            await nextTurn();
            if (readRows.every((row) => row?.value === 1)) {
              await rows.put(newRow(nth === 0 ? 'a' : 'b', { value: 0 }));
            }
          }),
        );
        const rows = [await t.in(partition).get('a'), await t.in(partition).get('b')];
        const values = rows.map((row) => row?.value).toSorted();
        assert.deepEqual(values, [0, 1], 'both saw both rows as they were, and each wrote one');
      });
    },

    'prevents phantom rows in a range that was read': async (t) => {
      await t.inParallel(20, (connection, nth) =>
        connection.transact(async (rows) => {
          const inRange = await rows.range('i');
          await nextTurn();
          if (inRange.length < 3) await rows.put(rowAt(`k${nth}`, `key-${nth}`));
        }),
      );
      assert.equal((await t.range()).length, 3, 'three rows, put by twenty transactions');
    },

    'keeps rows put while others empty the partition': async (t) => {
      const [emptier = t, writer = t] = await t.connections(2);
      for (let nth = 0; nth < 40; nth += 1) {
        await t.put(rowAt('last', '1'));
        await Promise.all([emptier.delete('last'), writer.put(rowAt('put', '2'))]);
        assert.deepEqual(await t.get('put'), rowAt('put', '2'));
        await t.delete('put');
      }
    },

    'returns the same rows to each read of a transaction': async (t) => {
      await t.put(rowAt('a', '1', { value: 0 }));
      const reads = await t.inParallel(24, (connection, nth) =>
        connection.transact(async (rows) => {
          const readAll = async () =>
            [await rows.get('a'), ...(await rows.range('i'))].map((row) => row?.value);
          const first = await readAll();
          await delay(1);
          const second = await readAll();
          await rows.put(rowAt('a', '1', { value: nth }));
          return { first, second };
        }),
      );
      for (const { first, second } of reads) assert.deepEqual(second, first);
    },
  },

  visible: {
    'shows no uncommitted rows to other transactions': async (t) => {
      await t.put(rowAt('a', '1', { value: 'clean' }));
      const others = await t.connections(4);
      const written = [rowAt('a', '1', { value: 'dirty' }), rowAt('b', '2', { value: 'dirty' })];
      const read = () => inParallel(20, others, (connection) => connection.range());
      const reads = (await readsDuringFailure(t, written, read)).flat();
      for (const rows of reads) {
        assert.deepEqual(pluck(rows, 'value'), ['clean']);
      }
    },
  },

  again: {
    'runs work again on committed rows only': async (t) => {
      const owners = await t.inParallel(30, (connection, nth) =>
        connection.transact(async (rows) => {
          const key = `owner-${await increment(rows, 'n')}`;
          await rows.put(rowAt(key, 'x', { value: nth }));
          return [key, nth] as const;
        }),
      );
      // A run on uncommitted rows would leave an owner that no transaction has returned.
      const rows = await t.range();
      const byKey = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
      assert.deepEqual(byKey, Object.fromEntries(owners));
      assert.equal(rows.length, 30);
    },
  },
});

/** Increments a number `count` times in parallel, and asserts that each increment read another value. */
async function assertNoneLost(
  processes: readonly EngineConnection[],
  count: number,
  pause: () => Promise<unknown> = nextTurn,
  firstKey?: string,
): Promise<void> {
  const readValues = await inParallel(count, processes, (connection) =>
    connection.transact((rows) => increment(rows, 'n', pause), firstKey),
  );
  const different = new Set(readValues).size;
  assert.equal(different, count, `${count} increments have found ${different} different numbers`);
  assert.equal(Math.max(...readValues), count - 1);
}
