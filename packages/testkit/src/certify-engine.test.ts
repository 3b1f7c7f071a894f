import { expect, it } from 'vitest';
import { certifyEngine } from './certify-engine.ts';
import { failingClaims } from './self-test/failing-claims.ts';
import { enginesThat } from './self-test/faulty-engines.ts';

it('claims nothing twice, and nothing that the reference does not hold', async () => {
  const { held, failed } = await failingClaims(
    certifyEngine,
    enginesThat((sound) => sound),
  );
  expect(failed).toEqual([]);
  expect(new Set(held).size).toBe(held.length);
});

it('claims nothing that an engine does not hold which runs work again, on what is stored', async () => {
  const anew = new Error('begun anew');
  const { failed } = await failingClaims(
    certifyEngine,
    enginesThat((sound) => ({
      ...sound,
      async transact(partition, work) {
        await sound
          .transact(partition, async (rows, nowMs) => {
            await work(rows, nowMs);
            throw anew;
          })
          .catch(() => {});
        return sound.transact(partition, work);
      },
    })),
  );
  expect(failed).toEqual([]);
});
