import type { AuthRequest } from '../http/messages.ts';
import type { Authenticate } from './authenticate.ts';
import { badToken } from './bearer-rejections.ts';

/**
 * Rejects a request whose credential has ended since dispatch accepted it: its session was ended, or it was revoked or
 * has expired. The rejection is that of a request that arrives with such a credential.
 *
 * @throws {AuthError} `invalid_token`, `temporarily_unavailable` if the store does not answer
 */
export type AssertCredentialValid = (request: AuthRequest) => Promise<void>;

export function createAssertCredentialValid(authenticate: Authenticate): AssertCredentialValid {
  return async (request) => {
    const { authorization } = request;
    const { outcome } = await authenticate(authorization, { checkSession: true }, request);
    if (outcome !== 'authenticated') throw badToken;
  };
}
