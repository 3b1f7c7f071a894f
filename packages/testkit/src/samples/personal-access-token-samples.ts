import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type {
  NewPersonalAccessToken,
  PersonalAccessTokenRecord,
  PersonalAccessTokenStore,
} from '@latchhook/core/storage';
import { ADA, AMPLE_LIMITS, DAY_MS } from './login-samples.ts';

export const TTL_MS: number = 90 * DAY_MS;

/** How often uses are recorded in test cases of other behaviour. */
export const EVERY_MINUTE = { touchEveryMs: 60_000 } as const;

/** A page for a whole list. */
export const WHOLE_LIST = { limit: 100, after: null } as const;

export function newToken(
  tokenId: string,
  change: Partial<NewPersonalAccessToken> = {},
): NewPersonalAccessToken {
  const userId = change.userId ?? ADA;
  return {
    userId,
    tokenId,
    name: 'deploy "ünï" \u{1F512}',
    prefix: 'lh_pat_0aZ9',
    scopes: ['user', 'admin'],
    accountId: 7,
    tokenHash: createHash('sha256').update(`${tokenId} of ${userId}`).digest('base64url'),
    ttlMs: TTL_MS,
    ...change,
  };
}

/** Creates a token, which must succeed. */
export async function createToken(
  tokens: PersonalAccessTokenStore,
  token: NewPersonalAccessToken,
): Promise<PersonalAccessTokenRecord> {
  const created = await tokens.create(token, AMPLE_LIMITS);
  if (created.outcome === 'created') return created.token;
  assert.fail(`expected the token to be created, not ${created.outcome}`);
}

export async function listedIds(
  tokens: PersonalAccessTokenStore,
  userId: string = ADA,
): Promise<readonly string[]> {
  return (await tokens.list(userId, WHOLE_LIST)).map(({ tokenId }) => tokenId);
}

/** Asserts that every method treats the token as ended. */
export async function assertEnded(
  tokens: PersonalAccessTokenStore,
  token: NewPersonalAccessToken,
): Promise<void> {
  assert.equal(await tokens.use(token.tokenHash, EVERY_MINUTE), null);
  assert.ok(!(await listedIds(tokens, token.userId)).includes(token.tokenId), 'still listed');
  assert.equal(await tokens.revoke(token), false);
  assert.equal(await tokens.revokeByHash(token.tokenHash), null);
}
