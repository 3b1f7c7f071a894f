import { expect, it } from 'vitest';
import { certifyEngine } from './certify-engine.ts';
import { failingCases } from './self-test/failing-cases.ts';
import { engineHarness } from './self-test/faulty-engines.ts';

it('certifyEngine passes the reference engine in all cases, each with a unique title', async () => {
  const { passed, failed } = await failingCases(certifyEngine, engineHarness());
  expect(failed).toEqual([]);
  expect(new Set(passed).size).toBe(passed.length);
});

it('certifyEngine passes an engine that runs work twice', async () => {
  const rollback = new Error('rolled back');
  const { failed } = await failingCases(
    certifyEngine,
    engineHarness((reference) => ({
      ...reference,
      async transact(partition, work) {
        await reference
          .transact(partition, async (rows, nowMs) => {
            await work(rows, nowMs);
            throw rollback;
          })
          .catch(() => {});
        return reference.transact(partition, work);
      },
    })),
  );
  expect(failed).toEqual([]);
});
