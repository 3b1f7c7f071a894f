import { expect, it } from 'vitest';
import { certifyEngine } from './certify-engine.ts';
import { failingCases } from './self-test/failing-cases.ts';
import { enginesThat } from './self-test/faulty-engines.ts';

it('certifyEngine has unique titles, and the reference passes all cases', async () => {
  const { held, failed } = await failingCases(
    certifyEngine,
    enginesThat((sound) => sound),
  );
  expect(failed).toEqual([]);
  expect(new Set(held).size).toBe(held.length);
});

it('certifyEngine passes an engine that runs work again', async () => {
  const anew = new Error('begun anew');
  const { failed } = await failingCases(
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
