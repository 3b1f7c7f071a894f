import type { MaybePromise } from '../maybe-promise.ts';
import { type AccessTokenExpectations, type AccessTokenOutcome, untimely } from './access-token.ts';
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
  // Security: by digest, so that no token is kept in the heap as a key.
  const cache = new RecentCache<TokenDigest, ValidToken>(deps.cacheSize);
  const pending = new Map<TokenDigest, Promise<AccessTokenOutcome>>();

  return {
    verify(token) {
      const digest = digestToken(token);
      const known = cache.get(digest);
      if (known !== undefined) return recheck(digest, known);
      return pending.get(digest) ?? firstSight(digest, token);
    },
  };

  /** A signature stays valid for ever; the time and the trust in its key change. */
  function recheck(digest: TokenDigest, known: ValidToken): AccessTokenOutcome {
    const rejected: AccessTokenOutcome | undefined =
      keys.verificationKey(known.kid) === undefined
        ? { outcome: 'invalid', reason: 'unknown_key' }
        : untimely(known.info, clock.nowMs(), tolerance);
    if (rejected === undefined) return known;
    cache.delete(digest);
    return rejected;
  }

  function firstSight(digest: TokenDigest, token: string): Promise<AccessTokenOutcome> {
    const verified = verifyAccessToken(token, deps)
      .then((outcome) => {
        // Only valid ones: anybody can make any number of invalid tokens, which would evict the valid ones.
        if (outcome.outcome === 'valid') cache.set(digest, outcome);
        return outcome;
      })
      .finally(() => pending.delete(digest));
    pending.set(digest, verified);
    return verified;
  }
}
