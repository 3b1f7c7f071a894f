import type { ClientInfo } from '../client-info/client-info.ts';
import { claimsToBePersonal } from '../personal-access-tokens/personal-access-token.ts';
import type { PersonalAccessTokenControl } from '../personal-access-tokens/personal-access-token-control.ts';
import type { RefreshTokens } from '../sessions/refresh-token.ts';
import type { Sessions } from '../sessions/session-control.ts';
import type { SessionRef } from '../storage/session-store.ts';
import type { AccessTokenVerifier } from '../tokens/access-token-verifier.ts';

/**
 * Ends the session of each authentic refresh token, of any generation, and of each valid access token; revokes each
 * personal access token. Pass both tokens of a session if you have them: the key of one may have been removed from the
 * app, and the other is enough.
 */
export type RevokeByToken = (tokens: readonly string[], client: ClientInfo) => Promise<void>;

export interface RevokeByTokenDeps {
  readonly refreshTokens: RefreshTokens;
  readonly accessTokens: AccessTokenVerifier;
  readonly sessions: Pick<Sessions, 'revoke'>;
  /** Absent: the app has no personal access tokens. */
  readonly personalAccessTokens?: Pick<PersonalAccessTokenControl, 'revokeByHolder'> | undefined;
}

export function createRevokeByToken(deps: RevokeByTokenDeps): RevokeByToken {
  return async (tokens, client) => {
    const endedSessionIds = new Set<string>();
    for (const token of tokens) {
      if (claimsToBePersonal(token)) {
        await deps.personalAccessTokens?.revokeByHolder(token, client);
        continue;
      }
      const ref = await sessionOf(token, deps);
      if (ref === null || endedSessionIds.has(ref.sessionId)) continue;
      await deps.sessions.revoke(ref.userId, ref.sessionId, client);
      endedSessionIds.add(ref.sessionId);
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
