import { readFile } from 'node:fs/promises';
import {
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

function claimsOfTheKit(): ReadonlySet<string> {
  const claims = new Set<string>();
  const runner: TestRunner = {
    describe: (_name, body) => body(),
    it: (claim) => claims.add(claim),
  };
  const harness: StorageHarness = { open: () => Promise.reject(new Error('never opened')) };
  certifyStorage(runner, harness);
  certifyLimiters(runner, harness);
  certifyPersonalAccessTokens(runner, harness);
  certifyMfa(runner, harness);
  certifyWebhooks(runner, harness);
  return claims;
}

it('quotes no claim in the guide that the kit does not make', async () => {
  const guide = await readFile(GUIDE, 'utf8');
  const quoted = [...guide.matchAll(/(?<=[|;.:] )_([^_|]+)_/g)].map(([, claim = '']) => claim);
  expect(quoted.length).toBeGreaterThan(60);
  const known = claimsOfTheKit();
  expect(quoted.filter((claim) => !known.has(claim))).toEqual([]);
});
