import assert from 'node:assert/strict';
import type { Row } from '@latchhook/core/storage';
import type { EngineConnection } from '../../engine/engine-connection.ts';
import { type EngineSuite, engineSuite } from '../../engine/engine-suite.ts';
import { newRow, rowAt } from '../../samples/row-samples.ts';

const YEAR_MS = 365 * 86_400_000;
const TTL_MS = 5_000;
const WRITES = 32;

/** A row that has not expired must exist, whatever else was written or deleted. An expired row may exist. */
export const engineExpiry: EngineSuite = engineSuite('engine: expiry', {
  expiry: {
    'returns expiresAtMs unchanged': async (t) => {
      const nowMs = t.clock.nowMs();
      const times = [null, nowMs + 1, nowMs + YEAR_MS, Number.MAX_SAFE_INTEGER];
      const rows = times.map((expiresAtMs, nth) => rowAt(`k${nth}`, `${nth}`, { expiresAtMs }));
      await t.put(...rows);
      assert.deepEqual(await t.range(), rows);
      const expiries = (rows: readonly Row[]) => rows.map(({ expiresAtMs }) => expiresAtMs);
      await t.assertFinds(times, { pick: expiries });
    },

    'forgets no row a millisecond early': async (t) => {
      const expiresAtMs = t.clock.nowMs() + TTL_MS;
      const row = rowAt('a', '1', { expiresAtMs });
      await t.put(row, rowAt('b', '2', { expiresAtMs: expiresAtMs - 1 }));
      t.clock.advance(TTL_MS - 1);
      await writeOften(t);
      assert.deepEqual(await t.get('a'), row);
      // Without `b`, which has expired, and may be found or not.
      const sortKeys = { from: '1', before: '2' };
      assert.deepEqual(await t.range('i', sortKeys), [row]);
      await t.assertFinds(['a'], sortKeys);
    },

    'forgets no row that was put again to expire later': async (t) => {
      const formerExpiryMs = t.clock.nowMs() + TTL_MS;
      const expiringRow = rowAt('a', '1', { expiresAtMs: formerExpiryMs + 2 * TTL_MS });
      const permanentRow = rowAt('b', '2');
      await t.put(
        { ...expiringRow, expiresAtMs: formerExpiryMs },
        { ...permanentRow, expiresAtMs: formerExpiryMs },
      );
      await t.put(expiringRow, permanentRow);
      t.clock.advance(2 * TTL_MS);
      await writeOften(t);
      assert.deepEqual(await t.range(), [expiringRow, permanentRow]);
    },

    'forgets no row that never expires': async (t) => {
      await t.put(rowAt('a', '1'));
      t.clock.advance(10 * YEAR_MS);
      await writeOften(t);
      assert.deepEqual(await t.get('a'), rowAt('a', '1'));
      await t.assertFinds(['a']);
    },
  },

  put: {
    'stores a row under the key of an expired row': async (t) => {
      await t.put(rowAt('a', '1', { expiresAtMs: t.clock.nowMs() + TTL_MS }));
      t.clock.advance(2 * TTL_MS);
      const row = rowAt('a', '2', { value: 'new', expiresAtMs: t.clock.nowMs() + TTL_MS });
      await t.put(row);
      assert.deepEqual(await t.get('a'), row);
      assert.deepEqual(await t.range(), [row]);
    },
  },
});

/** Writes so often that every engine deletes expired rows, in the partition of the test case and in others. */
async function writeOften(t: EngineConnection): Promise<void> {
  for (let nth = 0; nth < WRITES; nth += 1) {
    const row = newRow('written', { value: nth });
    for (const partition of ['p', 'q', 'r']) await t.in(partition).put(row);
  }
  for (const partition of ['q', 'r']) {
    const row = await t.in(partition).get('written');
    assert.equal(row?.value, WRITES - 1, 'a row that never expires is gone');
  }
}
