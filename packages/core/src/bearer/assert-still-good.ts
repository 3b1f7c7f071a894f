import type { Authenticate } from './authenticate.ts';
import { badToken } from './bearer-refusals.ts';

/**
 * Refuses a request whose credential has ended since dispatch let it in: by the end of its session, its revocation or
 * its expiry. The answer is the one to a request that comes with such a credential.
 *
 * @throws {AuthError} `invalid_token`, `temporarily_unavailable` where it cannot be known
 */
export type AssertStillGood = (authorization: string | undefined) => Promise<void>;

export function createAssertStillGood(authenticate: Authenticate): AssertStillGood {
  return async (authorization) => {
    const { outcome } = await authenticate(authorization, { checkSession: true });
    if (outcome !== 'authenticated') throw badToken;
  };
}
