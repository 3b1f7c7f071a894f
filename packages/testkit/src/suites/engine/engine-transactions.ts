import assert from 'node:assert/strict';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { increment } from '../../actions/engine-calls.ts';
import { withTimeout } from '../../actions/with-timeout.ts';
import type { EngineConnection } from '../../engine/engine-connection.ts';
import { type EngineSuite, engineSuite } from '../../engine/engine-suite.ts';
import { newRow, rowAt } from '../../samples/row-samples.ts';

/** Less than the default timeout of test runners. */
const HANGS_AFTER_MS = 4_000;

/** A transaction commits all of its writes or none, and resolves only after the commit. */
export const engineTransactions: EngineSuite = engineSuite('engine: transactions', {
  atomic: {
    'keeps all writes of a transaction': async (t) => {
      const [other = t] = await t.connections(1);
      await t.put(rowAt('a', '1'), rowAt('b', '2'), rowAt('c', '3'));
      await t.transact(async (rows) => {
        await rows.put(rowAt('a', '9', { value: 'changed' }));
        await rows.delete('b');
        await rows.put(rowAt('d', '4'));
        await rows.put(rowAt('e', '5'));
      });
      assert.deepEqual(await other.range(), [
        rowAt('c', '3'),
        rowAt('d', '4'),
        rowAt('e', '5'),
        rowAt('a', '9', { value: 'changed' }),
      ]);
      assert.equal(await other.get('b'), null);
    },

    'shows all writes of a transaction to others together': async (t) => {
      const pairs: unknown[][] = [];
      let pendingWriters = 2;
      const writePairs = async (connection: EngineConnection) => {
        for (let nth = 0; nth < 40; nth += 1) {
          await connection.put(newRow('a', { value: nth }), newRow('b', { value: nth }));
        }
        pendingWriters -= 1;
      };
      const readPairs = async (connection: EngineConnection) => {
        for (let nth = 0; nth < 80 && pendingWriters > 0; nth += 1) {
          const pair = await connection.transact(async (rows) => {
            const a = await rows.get('a');
            await nextTurn();
            const b = await rows.get('b');
            return [a?.value, b?.value];
          });
          pairs.push(pair);
          // Without a pause, some databases would serve only the readers.
          await delay(1);
        }
      };
      const processes = await t.connections(4);
      await Promise.all(
        processes.map((each, nth) => (nth % 2 === 0 ? writePairs(each) : readPairs(each))),
      );
      for (const [a, b] of pairs) assert.equal(a, b, 'one of two writes is seen, the other not');
    },
  },

  thrown: {
    'keeps no writes of work that throws': async (t) => {
      const [other = t] = await t.connections(1);
      await t.put(rowAt('a', '1'), rowAt('b', '2'));
      const error = new Error('work throws');
      await assertThrown(
        t.transact((rows) => throwAfter(rows.delete('a'), error)),
        error,
      );
      await assertThrown(
        t.transact(async (rows) => {
          await rows.put(rowAt('a', '9', { value: 'changed' }));
          await rows.put(rowAt('c', '3'));
          await rows.delete('b');
          await nextTurn();
          throw error;
        }),
        error,
      );
      const committedRows = [rowAt('a', '1'), rowAt('b', '2')];
      assert.deepEqual(await other.range(), committedRows);
      assert.equal(await other.get('c'), null);
      await t.assertFinds(['a', 'b']);
    },

    'rejects with the same error that work throws': async (t) => {
      const frozen = Object.freeze(new TypeError('frozen'));
      for (const error of [new Error('an error'), frozen, 'a text', undefined]) {
        const throwFailure = () => {
          throw error;
        };
        await assertThrown(t.transact(throwFailure), error);
        await assertThrown(
          t.transact(async () => throwFailure()),
          error,
        );
      }
    },
  },

  result: {
    'resolves to the result of work unchanged, sync or async': async (t) => {
      const objectResult = { nested: [1, undefined], map: new Map() };
      for (const value of [undefined, null, 0, '', false, Number.NaN, 7n, objectResult]) {
        const results = [await t.transact(() => value), await t.transact(async () => value)];
        for (const result of results)
          assert.ok(Object.is(result, value), 'resolves to another value');
      }
    },

    'shows every connection the writes of a resolved transaction': async (t) => {
      const [writer, reader] = await t.connections(2);
      assert.ok(writer !== undefined && reader !== undefined);
      for (let nth = 0; nth < 20; nth += 1) {
        await writer.put(newRow('a', { value: nth }));
        assert.equal((await reader.get('a'))?.value, nth);
      }
    },
  },

  ends: {
    'blocks no later transaction after work has thrown': async (t) => {
      const error = new Error('work throws');
      const failOften = async () => {
        for (let nth = 0; nth < 30; nth += 1) {
          await assertThrown(
            t.transact(() => Promise.reject(error)),
            error,
          );
        }
        await t.put(newRow('a'));
        assert.deepEqual(await t.get('a'), newRow('a'));
      };
      await withTimeout(HANGS_AFTER_MS, failOften(), 'waits for a transaction that has failed');
    },

    'completes 96 parallel transactions in 12 partitions': async (t) => {
      await t.inParallel(96, (connection, nth) =>
        connection.in(`p${nth % 12}`).transact((rows) => increment(rows, 'n')),
      );
      for (let nth = 0; nth < 12; nth += 1) {
        assert.equal((await t.in(`p${nth}`).get('n'))?.value, 8);
      }
    },
  },
});

async function throwAfter(written: void | Promise<void>, error: Error): Promise<never> {
  await written;
  throw error;
}

async function assertThrown(transaction: Promise<unknown>, expected: unknown): Promise<void> {
  const outcome = await transaction.then(
    () => assert.fail('resolves, though work has thrown'),
    (error: unknown) => ({ error }),
  );
  assert.ok(Object.is(outcome.error, expected), `rejects with another error: ${outcome.error}`);
}
