import { readFile } from 'node:fs/promises';
import {
  type Ability,
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStorage,
  certifyWebhooks,
  type StorageHarness,
  type TestRunner,
} from '@latchhook/testkit';
import { expect, it } from 'vitest';

const GUIDE = new URL('../../../docs/guides/storage-adapter.md', import.meta.url);

type Certify = (runner: TestRunner, harness: StorageHarness) => void;

/** The claims that a store with these abilities is tried on, repeats included. */
function claimsOf(
  abilities: readonly Ability[],
  ...certified: readonly Certify[]
): readonly string[] {
  const deliveries: string[] = [];
  const runner: TestRunner = {
    describe: (_name, body) => body(),
    it: Object.assign((claim: string) => void deliveries.push(claim), { skip: () => {} }),
  };
  const harness: StorageHarness = {
    abilities,
    open: () => Promise.reject(new Error('never opened')),
  };
  for (const certify of certified) certify(runner, harness);
  return deliveries;
}

it('quotes no claim in the guide that the kit does not make', async () => {
  const guide = await readFile(GUIDE, 'utf8');
  const quoted = [...guide.matchAll(/(?<=[|;.:] )_([^_|]+)_/g)].map(([, claim = '']) => claim);
  expect(quoted.length).toBeGreaterThan(60);
  const known = new Set(
    claimsOf(
      ['disturb', 'dump'],
      certifyStorage,
      certifyLimiters,
      certifyPersonalAccessTokens,
      certifyMfa,
      certifyWebhooks,
    ),
  );
  expect(quoted.filter((claim) => !known.has(claim))).toEqual([]);
});

it('says in the guide how many claims the example passes', async () => {
  const guide = await readFile(GUIDE, 'utf8');
  const said = [...guide.matchAll(/\b(\d+)(?: claims)? in one process/g)].map(([, count]) => count);
  const count = String(claimsOf([], certifyStorage, certifyLimiters).length);
  expect(said).toEqual([count, count]);
});
