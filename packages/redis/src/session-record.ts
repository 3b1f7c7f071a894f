import type { NewSession, SessionGrant, SessionRecord } from '@latchhook/core';
import type { ScriptReply } from './script-reply.ts';

/** What never changes of a session, as one field of its hash. Named one by one, so that nothing else gets in. */
export function serialiseGrant(session: NewSession): string {
  const grant: SessionGrant = {
    userId: session.userId,
    sessionId: session.sessionId,
    scopes: session.scopes,
    accountId: session.accountId,
    amr: session.amr,
    authTimeMs: session.authTimeMs,
    clientAddress: session.clientAddress,
    userAgent: session.userAgent,
  };
  return JSON.stringify(grant);
}

/** Reads a record as `readSession` of the scripts answers it. */
export function parseSessionRecord(reply: ScriptReply): SessionRecord {
  const grant: SessionGrant = JSON.parse(reply.text());
  return {
    userId: grant.userId,
    sessionId: grant.sessionId,
    scopes: grant.scopes,
    accountId: grant.accountId,
    amr: grant.amr,
    authTimeMs: grant.authTimeMs,
    clientAddress: grant.clientAddress,
    userAgent: grant.userAgent,
    createdAtMs: reply.integer(),
    expiresAtMs: reply.integer(),
    rotatedAtMs: reply.integer(),
    generation: reply.integer(),
  };
}
