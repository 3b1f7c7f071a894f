import type { ClientInfo } from '../client-info/client-info.ts';
import { claimsToBePersonal } from '../personal-access-tokens/personal-access-token.ts';
import type { PersonalAccessTokenControl } from '../personal-access-tokens/personal-access-token-control.ts';
import type { RefreshTokens } from '../sessions/refresh-token.ts';
import type { Sessions } from '../sessions/session-control.ts';
import type { SessionRef } from '../storage/session-store.ts';
import type { AccessTokenVerifier } from '../tokens/access-token-verifier.ts';

/**
 * Ends the session of a refresh token of any generation, or of a valid access token; or revokes a personal access
 * token.
 */
export type RevokeByToken = (token: string, client: ClientInfo) => Promise<void>;

export interface RevokeByTokenDeps {
  readonly refreshTokens: RefreshTokens;
  readonly accessTokens: AccessTokenVerifier;
  readonly sessions: Pick<Sessions, 'revoke'>;
  /** Absent: there are no personal access tokens. */
  readonly personalAccessTokens?: Pick<PersonalAccessTokenControl, 'revokeHeld'> | undefined;
}

export function createRevokeByToken(deps: RevokeByTokenDeps): RevokeByToken {
  return async (token, client) => {
    if (claimsToBePersonal(token)) {
      return deps.personalAccessTokens?.revokeHeld(token, client);
    }
    const ref = await sessionOf(token, deps);
    if (ref !== null) await deps.sessions.revoke(ref.userId, ref.sessionId, client);
  };
}

async function sessionOf(
  token: string,
  { refreshTokens, accessTokens }: RevokeByTokenDeps,
): Promise<SessionRef | null> {
  const refresh = refreshTokens.verify(token);
  if (refresh !== null) return refresh.content;
  const verified = await accessTokens.verify(token);
  return verified.outcome === 'valid' ? verified.info : null;
}
