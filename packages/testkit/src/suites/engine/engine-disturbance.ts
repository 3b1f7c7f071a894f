import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type EngineFixture, type EngineSuite, engineSuite } from '../../engine/engine-suite.ts';
import { rowAt } from '../../samples/row-samples.ts';
import { disturbancesOf } from '../../suite.ts';

/** How often a call may fail after a disturbance, because a pool may have several lost connections. */
const MAX_FAILURES = 20;

/** Connections are lost, even between the last write and the commit. */
export const engineDisturbance: EngineSuite = engineSuite(disturbancesOf('engine'), {
  unsure: {
    'resolves a transaction on a lost connection only if it has committed': async (t) => {
      for (let nth = 0; nth < 5; nth += 1) {
        const { hasResolved, values } = await writeDisturbed(t, nth);
        if (hasResolved) assert.deepEqual(values, [nth, nth], 'resolved, and did not commit');
      }
    },
  },

  atomic: {
    'commits all writes of a transaction or none if its connection is lost': async (t) => {
      for (let nth = 0; nth < 5; nth += 1) {
        const { values } = await writeDisturbed(t, nth);
        assert.equal(values[0], values[1], 'one of two writes is there without the other');
      }
    },
  },

  ends: {
    'blocks no later transaction after a connection was lost': async (t) => {
      for (let nth = 0; nth < 5; nth += 1) {
        await t.disturb();
        await retryUntilResolved(() => t.put(rowAt('a', '1', { value: nth })));
        const [row] = await retryUntilResolved(() => t.range());
        assert.equal(row?.value, nth);
        await writeDisturbed(t, nth);
      }
    },
  },
});

/** Writes two rows in a transaction that is disturbed before it commits, then reads the rows. */
async function writeDisturbed(t: EngineFixture, value: number) {
  let isDisturbed = false;
  const hasResolved = await t
    .transact(async (rows) => {
      await rows.put(rowAt('a', '1', { value }));
      await rows.put(rowAt('b', '2', { value }));
      if (!isDisturbed) {
        isDisturbed = true;
        await t.disturb();
      }
    })
    .then(
      () => true,
      () => false,
    );
  const rows = await retryUntilResolved(() => t.range());
  return { hasResolved, values: rows.map((row) => row.value) };
}

async function retryUntilResolved<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await call();
    } catch (error) {
      if (failures === MAX_FAILURES) throw error;
      await delay(10);
    }
  }
}
