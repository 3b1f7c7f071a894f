import type { MaybePromise } from '../maybe-promise.ts';
import {
  type AccessTokenExpectations,
  type AccessTokenOutcome,
  rejectByTime,
} from './access-token.ts';
import { RecentCache } from './recent-cache.ts';
import { digestToken, type TokenDigest } from './token-digest.ts';
import { verifyAccessToken } from './verify-access-token.ts';

type ValidToken = Extract<AccessTokenOutcome, { outcome: 'valid' }>;

/** Verifies access tokens, and caches those that were valid. */
export interface AccessTokenVerifier {
  /**
   * As `verifyAccessToken`, but returns without a promise if the token is in the cache.
   *
   * Concurrency: parallel calls with a token that is not in the cache share one verification.
   *
   * Expiry: the time and the retirement of the key are checked at every call, even for a cached token.
   */
  verify(token: string): MaybePromise<AccessTokenOutcome>;
}

export interface AccessTokenVerifierDeps extends AccessTokenExpectations {
  /** How many verified tokens are cached: at least 2. */
  readonly cacheSize: number;
}

export function createAccessTokenVerifier(deps: AccessTokenVerifierDeps): AccessTokenVerifier {
  const { keys, clock, tolerance } = deps;
  // Security: keyed by digest, so that no token remains in the heap.
  const cache = new RecentCache<TokenDigest, ValidToken>(deps.cacheSize);
  const pending = new Map<TokenDigest, Promise<AccessTokenOutcome>>();

  return {
    verify(token) {
      const digest = digestToken(token);
      const cached = cache.get(digest);
      if (cached !== undefined) return recheck(digest, cached);
      return pending.get(digest) ?? verifyAndCache(digest, token);
    },
  };

  /** A signature stays valid for ever; the time and the trust in its key change. */
  function recheck(digest: TokenDigest, cached: ValidToken): AccessTokenOutcome {
    const rejection: AccessTokenOutcome | undefined =
      keys.verificationKey(cached.kid) === undefined
        ? { outcome: 'invalid', reason: 'unknown_key' }
        : rejectByTime(cached.info, clock.nowMs(), tolerance);
    if (rejection === undefined) return cached;
    cache.delete(digest);
    return rejection;
  }

  function verifyAndCache(digest: TokenDigest, token: string): Promise<AccessTokenOutcome> {
    const verification = verifyAccessToken(token, deps)
      .then((outcome) => {
        // Only if it is valid: anybody can make any number of invalid tokens, which would evict the valid ones.
        if (outcome.outcome === 'valid') cache.set(digest, outcome);
        return outcome;
      })
      .finally(() => pending.delete(digest));
    pending.set(digest, verification);
    return verification;
  }
}
