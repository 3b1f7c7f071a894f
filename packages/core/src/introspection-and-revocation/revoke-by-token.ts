import type { ClientInfo } from '../client-info/client-info.ts';
import { claimsToBePersonal } from '../personal-access-tokens/personal-access-token.ts';
import type { PersonalAccessTokenControl } from '../personal-access-tokens/personal-access-token-control.ts';
import type { RefreshTokens } from '../sessions/refresh-token.ts';
import type { Sessions } from '../sessions/session-control.ts';
import type { SessionRef } from '../storage/session-store.ts';
import type { AccessTokenVerifier } from '../tokens/access-token-verifier.ts';

/**
 * Ends the session of each refresh token of any generation, and of each valid access token; and revokes each personal
 * access token. Both tokens of one session can be given, in case the key or the secret of one has been dropped: one
 * that can be verified is enough.
 */
export type RevokeByToken = (tokens: readonly string[], client: ClientInfo) => Promise<void>;

export interface RevokeByTokenDeps {
  readonly refreshTokens: RefreshTokens;
  readonly accessTokens: AccessTokenVerifier;
  readonly sessions: Pick<Sessions, 'revoke'>;
  /** Absent: there are no personal access tokens. */
  readonly personalAccessTokens?: Pick<PersonalAccessTokenControl, 'revokeHeld'> | undefined;
}

export function createRevokeByToken(deps: RevokeByTokenDeps): RevokeByToken {
  return async (tokens, client) => {
    const ended = new Set<string>();
    for (const token of tokens) {
      if (claimsToBePersonal(token)) {
        await deps.personalAccessTokens?.revokeHeld(token, client);
        continue;
      }
      const ref = await sessionOf(token, deps);
      if (ref === null || ended.has(ref.sessionId)) continue;
      await deps.sessions.revoke(ref.userId, ref.sessionId, client);
      ended.add(ref.sessionId);
    }
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
