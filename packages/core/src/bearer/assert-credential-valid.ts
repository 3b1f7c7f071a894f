import type { AuthRequest } from '../http/messages.ts';
import type { Authenticate } from './authenticate.ts';
import { badToken } from './bearer-rejections.ts';

/**
 * Rejects a request whose credential has become invalid since dispatch accepted it: the session has ended, or the token
 * has expired or was revoked. The error is the same as for a request that arrives with an invalid credential.
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
