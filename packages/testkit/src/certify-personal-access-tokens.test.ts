import { expect, it } from 'vitest';
import { certifyPersonalAccessTokens } from './certify-personal-access-tokens.ts';
import { failingCases } from './self-test/failing-cases.ts';
import { faultyTokens } from './self-test/faulty-storage.ts';
import { nonAtomic } from './self-test/reference.ts';

it('certifyPersonalAccessTokens passes the reference storage in all cases, each with a unique title', async () => {
  const { passed, failed } = await failingCases(
    certifyPersonalAccessTokens,
    faultyTokens(() => ({})),
  );
  expect(failed).toEqual([]);
  expect(new Set(passed).size).toBe(passed.length);
});

it('certifyPersonalAccessTokens fails a non-atomic storage in parallel cases only', async () => {
  const { failed } = await failingCases(certifyPersonalAccessTokens, nonAtomic);
  expect(failed).toEqual([
    'personal access tokens: races between processes > creates no more than maxPerUser tokens under 50 parallel calls',
    'personal access tokens: races between processes > gives tokens created in parallel distinct, ordered sequences',
    'personal access tokens: races between processes > accepts no use once revoke() has returned',
    'personal access tokens: races between processes > accepts no use once revokeByHash() has returned',
    'personal access tokens: races between processes > accepts no use once revokeAll() has returned',
    'personal access tokens: races between processes > revokes a token once under 60 parallel calls of all three revocations',
    'personal access tokens: races between processes > counts every token that revokeAll() revokes while tokens are created in parallel',
    'personal access tokens: disturbances that lose no data > keeps maxPerUser under 100 parallel creations during a disturbance',
  ]);
});
