import type { SessionGrant } from '../session-store.ts';

/**
 * Copies the fields of a session that never change, each by name, so that no other field of a caller's object is
 * stored, and no other stored field is returned. For authors of storages: the result is JSON-safe, to be stored as one
 * value.
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
