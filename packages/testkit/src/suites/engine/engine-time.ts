import assert from 'node:assert/strict';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Rows } from '@latchhook/core/storage';
import { type EngineSuite, engineSuite } from '../../engine/engine-suite.ts';
import { newRow } from '../../samples/row-samples.ts';

/** Allows for servers with a wrong clock, but not for seconds or another time zone. */
const MAX_CLOCK_DIFFERENCE_MS = 900_000;
/** Allows for a clock that is corrected between two calls. */
const TOLERANCE_MS = 50;

/** Time by the clock of the test case. */
export const engineTime: EngineSuite = engineSuite('engine: time', {
  now: {
    'returns the time of the given clock': async (t) => {
      const [other = t] = await t.connections(1);
      for (const stepMs of [0, 1, 86_400_000]) {
        t.clock.advance(stepMs);
        for (const connection of [t, other]) {
          assert.equal(await connection.now(), t.clock.nowMs());
          assert.equal(await connection.transact((_, nowMs) => nowMs), t.clock.nowMs());
        }
      }
    },
  },

  time: {
    'gives each transaction a time no earlier than the end of the one before': async (t) => {
      const latenesses = await t.inParallel(24, (connection) =>
        connection.transact((rows, nowMs) =>
          lateness(rows, nowMs, async () => {
            await nextTurn();
            t.clock.advance(10);
            return t.clock.nowMs();
          }),
        ),
      );
      assertNoneLate(latenesses);
    },
  },
});

/** Time by the engine's own clock, as in production. */
export const engineOwnTime: EngineSuite = engineSuite(
  { name: 'engine: time without a test clock', clock: 'own' },
  {
    time: {
      'gives transactions whole milliseconds since 1970': async (t) => {
        for (let i = 0; i < 10; i += 1) {
          const nowMs: unknown = await t.transact((_, ms) => ms);
          assert.ok(Number.isSafeInteger(nowMs), `${nowMs} is not a whole number`);
          const apartMs = Math.abs(Number(nowMs) - Date.now());
          assert.ok(
            apartMs < MAX_CLOCK_DIFFERENCE_MS,
            `${nowMs} is ${apartMs} ms apart from this machine's time`,
          );
          await delay(3);
        }
      },

      'reads the time after the lock': async (t) => {
        const latenesses = await t.inParallel(16, (connection) =>
          connection.transact((rows, nowMs) =>
            lateness(rows, nowMs, async () => {
              await delay(10);
              // Timers may fire a little early.
              return nowMs + 8;
            }),
          ),
        );
        assertNoneLate(latenesses);
      },
    },

    now: {
      'returns the same time from now() and in transactions': async (t) => {
        const [other = t] = await t.connections(1);
        const beforeMs = await t.now();
        assert.ok(Number.isSafeInteger(beforeMs), `${beforeMs} is not a whole number`);
        const transactionMs = await other.transact((_, nowMs) => nowMs);
        const afterMs = await t.now();
        const range = `${beforeMs} to ${afterMs}`;
        assert.ok(
          beforeMs - TOLERANCE_MS <= transactionMs && transactionMs <= afterMs + TOLERANCE_MS,
          `${transactionMs} is not in ${range}`,
        );
      },

      'advances the time from call to call': async (t) => {
        const readTimes = async () => [await t.now(), await t.transact((_, ms) => ms)];
        const [now = 0, inTransaction = 0] = await readTimes();
        await delay(30);
        const [laterNow = 0, laterInTransaction = 0] = await readTimes();
        assert.ok(laterNow >= now + 20, 'now() does not advance');
        assert.ok(
          laterInTransaction >= inTransaction + 20,
          'the time of transactions does not advance',
        );
      },
    },
  },
);

/** Stores when this transaction ended, and returns by how much its time is before the end of the one before, ms. */
async function lateness(rows: Rows, nowMs: number, end: () => Promise<number>): Promise<number> {
  const endedMs = Number((await rows.get('end'))?.value ?? 0);
  await rows.put(newRow('end', { value: await end() }));
  return Math.max(0, endedMs - nowMs);
}

function assertNoneLate(latenesses: readonly number[]): void {
  const latest = Math.max(...latenesses);
  assert.equal(latest, 0, 'a transaction is older than the one that it waited for');
}
