import type { ClientInfo } from '../client-info/client-info.ts';
import type { Policy } from '../policy.ts';
import { randomId } from '../random-id.ts';
import type { NewSession, SessionGrant } from '../storage/session-store.ts';

/** The session of a login that is about to be stored. Its id is new, so that nobody can know it before the login. */
export function newSession(
  grant: Omit<SessionGrant, 'sessionId' | keyof ClientInfo>,
  client: ClientInfo,
  { session: { idleMs, absoluteMs } }: Policy,
): NewSession {
  return {
    userId: grant.userId,
    sessionId: randomId(),
    scopes: grant.scopes,
    accountId: grant.accountId,
    amr: grant.amr,
    authTimeMs: grant.authTimeMs,
    clientAddress: client.clientAddress,
    userAgent: client.userAgent,
    idleMs,
    absoluteMs,
  };
}
