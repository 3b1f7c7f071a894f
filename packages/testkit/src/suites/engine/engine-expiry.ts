import assert from 'node:assert/strict';
import type { Row, StorageEngine } from '@latchhook/core/storage';
import { findsAtLast, getOne, keysOf, putAll, rangeOf } from '../../actions/engine-calls.ts';
import { CONTRACT } from '../../engine/contract.ts';
import type { EngineSuite } from '../../engine/engine-suite.ts';
import { newRow, placedRow } from '../../samples/row-samples.ts';

const YEAR_MS = 365 * 86_400_000;
const rule = CONTRACT.expiry;

/** What has expired may be there still. What has not must be, whatever was written or forgotten meanwhile. */
export const engineExpiry: EngineSuite = {
  name: 'engine: expiry',
  clock: 'turned',
  cases: {
    'returns expiresAtMs as it was put': {
      rule,
      async prove({ engine, clock }) {
        const now = clock.nowMs();
        const times = [null, now + 1, now + YEAR_MS, Number.MAX_SAFE_INTEGER];
        const rows = times.map((expiresAtMs, nth) =>
          placedRow(`k${nth}`, `${nth}`, { expiresAtMs }),
        );
        await putAll(engine, 'p', ...rows);
        assert.deepEqual(await rangeOf(engine, 'p', 'i'), rows);
        const seen = (found: readonly Row[]) => found.map(({ expiresAtMs }) => expiresAtMs);
        await findsAtLast(engine, ['i', { limit: 9 }], seen, times);
      },
    },

    'forgets no row a millisecond early': {
      rule,
      async prove({ engine, clock }) {
        const expiresAtMs = clock.nowMs() + 5_000;
        const row = placedRow('a', '1', { expiresAtMs });
        await putAll(engine, 'p', row, placedRow('b', '2', { expiresAtMs: expiresAtMs - 1 }));
        clock.advance(4_999);
        await writeOften(engine);
        assert.deepEqual(await getOne(engine, 'p', 'a'), row);
        const places = { from: '1', before: '2' };
        assert.deepEqual(await rangeOf(engine, 'p', 'i', places), [row]);
        await findsAtLast(engine, ['i', { ...places, limit: 9 }], keysOf, ['a']);
      },
    },

    'forgets no row that was put again to expire later': {
      rule,
      async prove({ engine, clock }) {
        const soon = clock.nowMs() + 1_000;
        const later = placedRow('a', '1', { expiresAtMs: soon + 60_000 });
        const never = placedRow('b', '2');
        await putAll(engine, 'p', { ...later, expiresAtMs: soon }, { ...never, expiresAtMs: soon });
        await putAll(engine, 'p', later, never);
        clock.advance(30_000);
        await writeOften(engine);
        assert.deepEqual(await rangeOf(engine, 'p', 'i'), [later, never]);
      },
    },

    'forgets no row that never expires': {
      rule,
      async prove({ engine, clock }) {
        await putAll(engine, 'p', placedRow('a', '1'));
        clock.advance(10 * YEAR_MS);
        await writeOften(engine);
        assert.deepEqual(await getOne(engine, 'p', 'a'), placedRow('a', '1'));
        await findsAtLast(engine, ['i', { limit: 9 }], keysOf, ['a']);
      },
    },

    'stores a row under the key of an expired one': {
      rule: CONTRACT.put,
      async prove({ engine, clock }) {
        await putAll(engine, 'p', placedRow('a', '1', { expiresAtMs: clock.nowMs() + 1_000 }));
        clock.advance(2_000);
        const row = placedRow('a', '2', { value: 'anew', expiresAtMs: clock.nowMs() + 1_000 });
        await putAll(engine, 'p', row);
        assert.deepEqual(await getOne(engine, 'p', 'a'), row);
        assert.deepEqual(await rangeOf(engine, 'p', 'i'), [row]);
      },
    },
  },
};

/** As often as has any engine forget what has expired, in the partition that is asked about and in others. */
async function writeOften(engine: StorageEngine): Promise<void> {
  for (let nth = 0; nth < 32; nth += 1) {
    const row = newRow('written', { value: nth });
    for (const partition of ['p', 'q', 'r']) await putAll(engine, partition, row);
  }
  for (const partition of ['q', 'r']) {
    const seen = await getOne(engine, partition, 'written');
    assert.equal(seen?.value, 31, 'a row that never expires is gone');
  }
}
