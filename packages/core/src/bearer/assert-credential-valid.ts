import type { AuthRequest } from '../http/messages.ts';
import type { Authenticate } from './authenticate.ts';
import { badToken } from './bearer-rejections.ts';

/**
 * Rejects a request whose credential has ended since dispatch let it in: by the end of its session, its revocation or
 * its expiry. The answer is the one to a request that comes with such a credential.
 *
 * @throws {AuthError} `invalid_token`, `temporarily_unavailable` where it cannot be known
 */
export type AssertCredentialValid = (request: AuthRequest) => Promise<void>;

export function createAssertCredentialValid(authenticate: Authenticate): AssertCredentialValid {
  return async (request) => {
    const { authorization } = request;
    const { outcome } = await authenticate(authorization, { checkSession: true }, request);
    if (outcome !== 'authenticated') throw badToken;
  };
}
