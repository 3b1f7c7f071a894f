import {
  type CallDeadline,
  type CreateSessionOutcome,
  type CreateUnlessEnrolledOutcome,
  type NewLogin,
  sessionGrantOf,
  storeLogin,
} from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { readLoginStoreOutcome } from '../../login-store-outcome.ts';
import { parseSessionRecord } from '../../session-record.ts';
import { readFactor } from '../internal/factor-record.ts';
import { DECLARE_LOGIN, RETURN_IF_STALE_LOGIN } from '../internal/stale-login.ts';

/**
 * Starts a session at generation 1, and ends the least recently rotated sessions beyond the cap.
 *
 * Outcomes: `created`, with the record; `enrolled`, with the factor, if the user has one and `mayHaveFactor` is 0;
 * `stale_login`, with the time, if a `revokeAll` has run since the login began; `needs_retry`, with the time, if one
 * may have run. If the id is known, `created` changes nothing and has the existing record.
 */
export const createSessionFunction = defineFunction({
  name: 'create_session',
  args: {
    userId: 'text',
    sessionId: 'text',
    grant: 'json',
    idleMs: 'bigint',
    absoluteMs: 'bigint',
    maxPerUser: 'bigint',
    loginAgeMs: 'bigint',
    earliestBeginMs: 'bigint',
    mayHaveFactor: 'bigint',
  },
  declare: `${DECLARE_LOGIN}
factor json;
`,
  body: `
${RETURN_IF_STALE_LOGIN}
IF p_may_have_factor = 0 THEN
  factor := factor_record(p_user_id);
  IF factor IS NOT NULL
    AND NOT EXISTS (SELECT FROM sessions WHERE user_id = p_user_id AND session_id = p_session_id) THEN
    RETURN json_build_object('outcome', 'enrolled', 'factor', factor);
  END IF;
END IF;
RETURN json_build_object('outcome', 'created', 'session', start_session(
  p_user_id, p_session_id, p_grant::text, p_idle_ms, p_absolute_ms, p_max_per_user, now_ms));
`,
});

type Limits = { readonly maxPerUser: number };

export async function createSession(
  call: CallFunction,
  session: NewLogin,
  limits: Limits,
  deadline: CallDeadline,
): Promise<CreateSessionOutcome> {
  const result = await storeSession(call, { mayHaveFactor: 1, ...limits, ...session }, deadline);
  if (result.outcome === 'enrolled') throw new Error('a session was rejected because of a factor');
  return result;
}

export function createUnlessEnrolled(
  call: CallFunction,
  session: NewLogin,
  limits: Limits,
  deadline: CallDeadline,
): Promise<CreateUnlessEnrolledOutcome> {
  return storeSession(call, { mayHaveFactor: 0, ...limits, ...session }, deadline);
}

async function storeSession(
  call: CallFunction,
  session: NewLogin & Limits & { readonly mayHaveFactor: 0 | 1 },
  deadline: CallDeadline,
): Promise<CreateUnlessEnrolledOutcome> {
  const args = { grant: sessionGrantOf(session), ...session };
  const login = await storeLogin(session.loginAgeMs, async (age) =>
    readLoginStoreOutcome(await call(createSessionFunction, { ...args, ...age }, deadline)),
  );
  if (login.outcome === 'stale_login') return login;
  const result = login.stored;
  const outcome = result.outcome(['created', 'enrolled']);
  return outcome === 'created'
    ? { outcome, session: parseSessionRecord(result.object('session')) }
    : { outcome, factor: readFactor(result.object('factor')) };
}
