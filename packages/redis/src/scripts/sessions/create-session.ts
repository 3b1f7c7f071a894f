import { storeLogin } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { readLoginStoreOutcome } from '../../login-store-outcome.ts';
import { parseSessionRecord, serialiseGrant } from '../../session-record.ts';
import type { SessionMethod } from '../../store-methods.ts';
import { STALE_LOGIN } from '../fragments/stale-login.ts';
import { START_SESSION } from '../fragments/start-session.ts';

/**
 * Starts a session at generation 1, and ends the least recently rotated sessions beyond the cap.
 *
 * Outcomes: `created`, with the record; `stale_login` and `needs_retry`, each with the time, if a `revokeAll` has run
 * since the login began, or may have run. If the id is known, `created` changes nothing and has the existing record.
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
    earliestBeginMs: 'optionalNumber',
  },
  uses: [STALE_LOGIN, START_SESSION],
  lua: `
local outcome = staleLogin(userKey, authenticationMs, earliestBeginMs)
if outcome then return reply(outcome, now) end
local keys = {session = sessionKey, live = liveKey, order = orderKey}
local session = {id = sessionId, grant = grant, idleMs = idleMs, absoluteMs = absoluteMs}
return reply('created', startSession(keys, session, maxPerUser))
`,
});

export const createSession: SessionMethod<'create'> =
  ({ call, keyspace, newDeadline }) =>
  async (session, { maxPerUser }) => {
    const keys = keyspace.ofSession(session);
    const deadline = newDeadline();
    const args = { ...session, grant: serialiseGrant(session), maxPerUser };
    const login = await storeLogin(session.authenticationMs, async (age) =>
      readLoginStoreOutcome(await call(script, keys, { ...args, ...age }, { deadline })),
    );
    if (login.outcome === 'stale_login') return login;
    return { outcome: 'created', session: parseSessionRecord(login.stored.list()) };
  };
