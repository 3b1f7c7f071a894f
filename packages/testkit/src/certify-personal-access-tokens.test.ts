import { expect, it } from 'vitest';
import { certifyPersonalAccessTokens } from './certify-personal-access-tokens.ts';
import { failingCases } from './self-test/failing-cases.ts';
import { readThenWriteTokens, tokensThat } from './self-test/faulty-personal-access-tokens.ts';

it('certifyPersonalAccessTokens has unique claims, all of which the reference passes', async () => {
  const { held, failed } = await failingCases(
    certifyPersonalAccessTokens,
    tokensThat(() => ({})),
  );
  expect(failed).toEqual([]);
  expect(new Set(held).size).toBe(held.length);
});

it('certifyPersonalAccessTokens catches a storage that reads, then writes, by its races alone', async () => {
  const { failed } = await failingCases(certifyPersonalAccessTokens, readThenWriteTokens);
  expect(failed).toEqual([
    'personal access tokens: races between processes > a user gets no more tokens than allowed by asking in parallel',
    'personal access tokens: races between processes > tokens that are created in parallel have an order',
    'personal access tokens: races between processes > no use succeeds after a revocation was answered',
    'personal access tokens: races between processes > no use succeeds after a revocation by hash was answered',
    'personal access tokens: races between processes > no use succeeds after a revocation of all was answered',
    'personal access tokens: races between processes > one of many parallel revocations, by id or by hash, ends the token',
    'personal access tokens: races between processes > every token that is created while all are revoked is counted, or lives',
    'personal access tokens: disturbances that lose no data > change nothing in the midst of a race',
  ]);
});
