import type { SessionGrant } from '../session-store.ts';

/**
 * The part of a session that never changes, copied field by field: nothing that a caller adds gets into a storage, and
 * nothing else that a storage holds gets out of it. For authors of storages: it is JSON-safe, to be kept as one value.
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
