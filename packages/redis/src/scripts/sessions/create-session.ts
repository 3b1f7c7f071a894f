import {
  type CreateUnlessEnrolledOutcome,
  type LoginTransition,
  type NewLogin,
  storeLogin,
} from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { readLoginStoreOutcome } from '../../login-store-outcome.ts';
import { parseSessionRecord, serialiseGrant } from '../../session-record.ts';
import type { SessionMethod, StoreDeps } from '../../store-methods.ts';
import { STALE_LOGIN } from '../fragments/stale-login.ts';
import { START_SESSION } from '../fragments/start-session.ts';
import { FIND_FACTOR, readFactor } from '../mfa/fragments/find-factor.ts';

/**
 * Starts a session at generation 1, and ends the least recently rotated sessions beyond the cap.
 *
 * Outcomes: `created`, with the record; `enrolled`, with the factor, if the user has one and `mayHaveFactor` is 0;
 * `stale_login`, with the time, if a `revokeAll` has run since the login began; `needs_retry`, with the time, if one
 * may have run. If the id is known, `created` changes nothing and has the existing record.
 */
const script = defineScript({
  name: 'create-session',
  keys: ['session', 'live', 'order', 'user', 'factor', 'codes'],
  args: {
    sessionId: 'text',
    grant: 'text',
    idleMs: 'number',
    absoluteMs: 'number',
    maxPerUser: 'number',
    loginAgeMs: 'number',
    earliestBeginMs: 'optionalNumber',
    mayHaveFactor: 'number',
  },
  uses: [STALE_LOGIN, FIND_FACTOR, START_SESSION],
  lua: `
local outcome = staleLogin(userKey, loginAgeMs, earliestBeginMs)
if outcome then return reply(outcome, now) end
local factor = mayHaveFactor == 0 and findFactor(factorKey, codesKey)
if factor and redis.call('EXISTS', sessionKey) == 0 then return reply('enrolled', factor) end
local keys = {session = sessionKey, live = liveKey, order = orderKey}
local session = {id = sessionId, grant = grant, idleMs = idleMs, absoluteMs = absoluteMs}
return reply('created', startSession(keys, session, maxPerUser))
`,
});

export const createSession: SessionMethod<'create'> =
  (deps) =>
  async (session, { maxPerUser }) => {
    const result = await storeSession(deps, session, { maxPerUser, mayHaveFactor: 1 });
    if (result.outcome === 'enrolled')
      throw new Error('a session was rejected because of a factor');
    return result;
  };

export const createUnlessEnrolled =
  (deps: StoreDeps): LoginTransition['createUnlessEnrolled'] =>
  (session, { maxPerUser }) =>
    storeSession(deps, session, { maxPerUser, mayHaveFactor: 0 });

async function storeSession(
  { call, keyspace, newDeadline }: StoreDeps,
  session: NewLogin,
  limits: { readonly maxPerUser: number; readonly mayHaveFactor: 0 | 1 },
): Promise<CreateUnlessEnrolledOutcome> {
  const keys = keyspace.ofLogin(session);
  const deadline = newDeadline();
  const { sessionId, idleMs, absoluteMs } = session;
  const grant = serialiseGrant(session);
  const login = await storeLogin(session.loginAgeMs, async (age) => {
    const args = { sessionId, grant, idleMs, absoluteMs, ...limits, ...age };
    return readLoginStoreOutcome(await call(script, keys, args, { deadline }));
  });
  if (login.outcome === 'stale_login') return login;
  const reply = login.stored;
  const outcome = reply.at(1).outcome(['created', 'enrolled']);
  return outcome === 'created'
    ? { outcome, session: parseSessionRecord(reply.list()) }
    : { outcome, factor: readFactor(reply.list()) };
}
