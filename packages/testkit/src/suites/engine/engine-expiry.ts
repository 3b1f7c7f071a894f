import assert from 'node:assert/strict';
import type { Row, StorageEngine } from '@latchhook/core/storage';
import { assertFindsSoon, getOne, keysOf, putAll, rangeOf } from '../../actions/engine-calls.ts';
import { type EngineSuite, engineSuite } from '../../engine/engine-suite.ts';
import { newRow, placedRow } from '../../samples/row-samples.ts';

const YEAR_MS = 365 * 86_400_000;
const TTL_MS = 5_000;
const WRITES = 32;

/** A row that has not expired must exist, whatever else was written or deleted. An expired row may exist. */
export const engineExpiry: EngineSuite = engineSuite('engine: expiry', {
  expiry: {
    'returns expiresAtMs unchanged': async ({ engine, clock }) => {
      const nowMs = clock.nowMs();
      const times = [null, nowMs + 1, nowMs + YEAR_MS, Number.MAX_SAFE_INTEGER];
      const rows = times.map((expiresAtMs, nth) => placedRow(`k${nth}`, `${nth}`, { expiresAtMs }));
      await putAll(engine, 'p', ...rows);
      assert.deepEqual(await rangeOf(engine, 'p', 'i'), rows);
      const expiries = (rows: readonly Row[]) => rows.map(({ expiresAtMs }) => expiresAtMs);
      await assertFindsSoon(engine, ['i', { limit: 9 }], expiries, times);
    },

    'forgets no row a millisecond early': async ({ engine, clock }) => {
      const expiresAtMs = clock.nowMs() + TTL_MS;
      const row = placedRow('a', '1', { expiresAtMs });
      await putAll(engine, 'p', row, placedRow('b', '2', { expiresAtMs: expiresAtMs - 1 }));
      clock.advance(TTL_MS - 1);
      await writeOften(engine);
      assert.deepEqual(await getOne(engine, 'p', 'a'), row);
      const places = { from: '1', before: '2' };
      assert.deepEqual(await rangeOf(engine, 'p', 'i', places), [row]);
      await assertFindsSoon(engine, ['i', { ...places, limit: 9 }], keysOf, ['a']);
    },

    'forgets no row that was put again to expire later': async ({ engine, clock }) => {
      const formerExpiryMs = clock.nowMs() + TTL_MS;
      const expiringRow = placedRow('a', '1', { expiresAtMs: formerExpiryMs + 2 * TTL_MS });
      const permanentRow = placedRow('b', '2');
      await putAll(
        engine,
        'p',
        { ...expiringRow, expiresAtMs: formerExpiryMs },
        { ...permanentRow, expiresAtMs: formerExpiryMs },
      );
      await putAll(engine, 'p', expiringRow, permanentRow);
      clock.advance(2 * TTL_MS);
      await writeOften(engine);
      assert.deepEqual(await rangeOf(engine, 'p', 'i'), [expiringRow, permanentRow]);
    },

    'forgets no row that never expires': async ({ engine, clock }) => {
      await putAll(engine, 'p', placedRow('a', '1'));
      clock.advance(10 * YEAR_MS);
      await writeOften(engine);
      assert.deepEqual(await getOne(engine, 'p', 'a'), placedRow('a', '1'));
      await assertFindsSoon(engine, ['i', { limit: 9 }], keysOf, ['a']);
    },
  },

  put: {
    'stores a row under the key of an expired row': async ({ engine, clock }) => {
      await putAll(engine, 'p', placedRow('a', '1', { expiresAtMs: clock.nowMs() + TTL_MS }));
      clock.advance(2 * TTL_MS);
      const row = placedRow('a', '2', { value: 'new', expiresAtMs: clock.nowMs() + TTL_MS });
      await putAll(engine, 'p', row);
      assert.deepEqual(await getOne(engine, 'p', 'a'), row);
      assert.deepEqual(await rangeOf(engine, 'p', 'i'), [row]);
    },
  },
});

/** Writes so often that every engine deletes expired rows, in the partition of the test case and in others. */
async function writeOften(engine: StorageEngine): Promise<void> {
  for (let nth = 0; nth < WRITES; nth += 1) {
    const row = newRow('written', { value: nth });
    for (const partition of ['p', 'q', 'r']) await putAll(engine, partition, row);
  }
  for (const partition of ['q', 'r']) {
    const row = await getOne(engine, partition, 'written');
    assert.equal(row?.value, WRITES - 1, 'a row that never expires is gone');
  }
}
