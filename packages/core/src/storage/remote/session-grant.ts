import type { SessionGrant } from '../session-store.ts';

/**
 * What never changes of a session, and nothing besides: named one by one, so that neither what a caller adds
 * gets into a storage, nor what a storage holds gets out of it. For who writes a storage: kept as one value,
 * it is JSON-safe.
 */
export function sessionGrantOf(session: SessionGrant): SessionGrant {
  return {
    userId: session.userId,
    sessionId: session.sessionId,
    scopes: session.scopes,
    accountId: session.accountId,
    amr: session.amr,
    authTimeMs: session.authTimeMs,
    clientAddress: session.clientAddress,
    userAgent: session.userAgent,
  };
}
