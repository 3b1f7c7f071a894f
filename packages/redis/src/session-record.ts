import { type NewSession, type SessionRecord, sessionGrantOf } from '@latchhook/core/storage';
import type { ScriptReply } from './script-reply.ts';

/** The fields of a session that never change, as one field of its hash. */
export function serialiseGrant(session: NewSession): string {
  return JSON.stringify(sessionGrantOf(session));
}

/** Reads a record as `readSession` of the scripts answers it. */
export function parseSessionRecord(reply: ScriptReply): SessionRecord {
  const grant = sessionGrantOf(JSON.parse(reply.text()));
  return {
    createdAtMs: reply.integer(),
    expiresAtMs: reply.integer(),
    rotatedAtMs: reply.integer(),
    generation: reply.integer(),
    ...grant,
  };
}
