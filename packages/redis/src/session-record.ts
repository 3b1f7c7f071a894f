import { type NewSession, type SessionRecord, sessionGrantOf } from '@latchhook/core/storage';
import { defineRecord } from './define-record.ts';
import type { ScriptReply } from './script-reply.ts';

/** A session, as the Lua function `readSession` returns it. */
export const SESSION = defineRecord({
  stored: ['grant', 'createdAtMs', 'expiresAtMs', 'rotatedAtMs', 'generation'],
});

/** Serialises the fields of a session that never change; its hash has them in one field. */
export function serialiseGrant(session: NewSession): string {
  return JSON.stringify(sessionGrantOf(session));
}

export function parseSessionRecord(reply: ScriptReply): SessionRecord {
  const { at } = SESSION;
  const grant = sessionGrantOf(JSON.parse(reply.at(at.grant).text()));
  return {
    createdAtMs: reply.at(at.createdAtMs).integer(),
    expiresAtMs: reply.at(at.expiresAtMs).integer(),
    rotatedAtMs: reply.at(at.rotatedAtMs).integer(),
    generation: reply.at(at.generation).integer(),
    ...grant,
  };
}
