import type { NewSession, SessionGrant, SessionRecord } from '@latchhook/core';
import type { FunctionAnswer } from './function-answer.ts';

/** What never changes of a session. Named one by one, so that nothing else gets in. */
export function grantOf(session: NewSession): SessionGrant {
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

/** Reads a record as `session_answer` gives it. */
export function parseSessionRecord(answer: FunctionAnswer): SessionRecord {
  const grant: SessionGrant = JSON.parse(answer.text('grant'));
  return {
    userId: grant.userId,
    sessionId: grant.sessionId,
    scopes: grant.scopes,
    accountId: grant.accountId,
    amr: grant.amr,
    authTimeMs: grant.authTimeMs,
    clientAddress: grant.clientAddress,
    userAgent: grant.userAgent,
    createdAtMs: answer.integer('createdAtMs'),
    expiresAtMs: answer.integer('expiresAtMs'),
    rotatedAtMs: answer.integer('rotatedAtMs'),
    generation: answer.integer('generation'),
  };
}
