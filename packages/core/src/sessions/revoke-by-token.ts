import type { Origin, SecurityEvent } from '../ports/telemetry.ts';
import type { SessionRef, SessionStore } from '../storage/session-store.ts';
import type { AccessTokenVerifier } from '../tokens/access-token-verifier.ts';
import type { RefreshTokens } from './refresh-token.ts';

/** Ends the session that a refresh token, of whatever generation, or a valid access token belongs to. */
export type RevokeByToken = (token: string, origin: Origin) => Promise<void>;

export function createRevokeByToken(
  refreshTokens: RefreshTokens,
  accessTokens: AccessTokenVerifier,
  sessions: Pick<SessionStore, 'revoke'>,
  emit: (event: SecurityEvent) => void,
): RevokeByToken {
  return async (token, origin) => {
    const ref = refreshTokens.open(token)?.content ?? (await accessTokenSession(token));
    if (ref === null) return;
    const { userId, sessionId } = ref;
    if (await sessions.revoke({ userId, sessionId })) {
      emit({ type: 'session.revoked', userId, sessionId, ...origin });
    }
  };

  async function accessTokenSession(token: string): Promise<SessionRef | null> {
    const verified = await accessTokens.verify(token);
    return verified.outcome === 'valid' ? verified.info : null;
  }
}
