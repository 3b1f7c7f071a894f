import type { CreateSessionOutcome, NewLogin } from '@latchhook/core';
import type { Deadline } from '../deadline.ts';
import { defineScript } from '../define-script.ts';
import type { SessionKeys } from '../keyspace.ts';
import type { CallScript } from '../script-caller.ts';
import { sendDated } from '../send-dated.ts';
import { parseSessionRecord, serialiseGrant } from '../session-record.ts';
import { OVERTAKEN } from './fragments/overtaken.ts';
import { START_SESSION } from './fragments/start-session.ts';

/**
 * Starts a session at generation 1, and ends those that the cap has no room for.
 *
 * Outcomes: `created`, with the record. The same, and nothing changed, where the id is known. `superseded`
 * and `in_doubt`, each with the time: a `revokeAll` came since the login began, or may have come.
 */
const script = defineScript({
  name: 'create-session',
  keys: ['session', 'live', 'order', 'user'],
  args: {
    sessionId: 'text',
    grant: 'text',
    idleMs: 'number',
    absoluteMs: 'number',
    maxPerUser: 'number',
    authenticationMs: 'number',
    earliestBeginMs: 'text',
  },
  lua: `
${OVERTAKEN}
${START_SESSION}
local verdict = overtaken(userKey, authenticationMs, earliestBeginMs)
if verdict then return answer(verdict, now) end
local keys = {session = sessionKey, live = liveKey, order = orderKey}
local session = {id = sessionId, grant = grant, idleMs = idleMs, absoluteMs = absoluteMs}
return answer('created', startSession(keys, session, maxPerUser))
`,
});

export async function createSession(
  call: CallScript,
  keys: SessionKeys,
  session: NewLogin,
  limits: { readonly maxPerUser: number },
  deadline: Deadline,
): Promise<CreateSessionOutcome> {
  const { sessionId, idleMs, absoluteMs } = session;
  const { maxPerUser } = limits;
  const grant = serialiseGrant(session);
  const result = await sendDated(session.authenticationMs, (age) =>
    call(script, keys, { sessionId, grant, idleMs, absoluteMs, maxPerUser, ...age }, { deadline }),
  );
  if (result.outcome === 'superseded') return { outcome: 'superseded' };
  return { outcome: 'created', session: parseSessionRecord(result.reply.list()) };
}
