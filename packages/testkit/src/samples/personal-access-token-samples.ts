import { createHash } from 'node:crypto';
import type { NewPersonalAccessToken } from '@latchhook/core/storage';
import { ADA, DAY_MS } from './login-samples.ts';

export const TTL_MS: number = 90 * DAY_MS;

/** How often a use is recorded at most, in test cases of anything else. */
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
