import type { NewSession, SessionRecord } from '@latchhook/core';
import { defineScript } from '../define-script.ts';
import type { SessionKeys } from '../keyspace.ts';
import type { CallScript } from '../script-caller.ts';
import { parseSessionRecord, serialiseGrant } from '../session-record.ts';
import { START_SESSION } from './fragments/start-session.ts';

/**
 * Starts a session at generation 1, and ends those that the cap has no room for.
 *
 * Outcomes: `created`, with the record. The same, and nothing changed, where the id is known.
 */
const script = defineScript({
  name: 'create-session',
  keys: ['session', 'live', 'order'],
  args: {
    sessionId: 'text',
    grant: 'text',
    idleMs: 'number',
    absoluteMs: 'number',
    maxPerUser: 'number',
  },
  lua: `
${START_SESSION}
local keys = {session = sessionKey, live = liveKey, order = orderKey}
local session = {id = sessionId, grant = grant, idleMs = idleMs, absoluteMs = absoluteMs}
return answer('created', startSession(keys, session, maxPerUser))
`,
});

export async function createSession(
  call: CallScript,
  keys: SessionKeys,
  session: NewSession,
  limits: { readonly maxPerUser: number },
): Promise<SessionRecord> {
  const reply = await call(script, keys, {
    sessionId: session.sessionId,
    grant: serialiseGrant(session),
    idleMs: session.idleMs,
    absoluteMs: session.absoluteMs,
    maxPerUser: limits.maxPerUser,
  });
  reply.outcome(['created']);
  return parseSessionRecord(reply.list());
}
