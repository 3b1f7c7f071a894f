import {
  type CallDeadline,
  type CreateSessionOutcome,
  type NewLogin,
  storeLogin,
} from '@latchhook/core';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { readLoginVerdict } from '../../login-verdict.ts';
import { grantOf, parseSessionRecord } from '../../session-record.ts';

/**
 * Starts a session at generation 1, and ends those that the cap has no room for.
 *
 * Outcomes: `created`, with the record. The same, and nothing changed, where the id is known. `superseded`
 * and `in_doubt`, each with the time: a `revokeAll` came since the login began, or may have come.
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
    authenticationMs: 'bigint',
    earliestBeginMs: 'bigint',
  },
  declare: `
owner users := lock_user(p_user_id);
verdict text;
`,
  body: `
now_ms := enter(p_landing_limit_ms, p_clock_ms);
verdict := overtaken(owner.revoked_all_at_ms, now_ms, p_authentication_ms, p_earliest_begin_ms);
IF verdict IS NOT NULL THEN
  RETURN json_build_object('outcome', verdict, 'nowMs', now_ms);
END IF;
RETURN json_build_object('outcome', 'created', 'session', start_session(
  p_user_id, p_session_id, p_grant::text, p_idle_ms, p_absolute_ms, p_max_per_user, now_ms));
`,
});

export async function createSession(
  call: CallFunction,
  session: NewLogin,
  { maxPerUser }: { readonly maxPerUser: number },
  deadline: CallDeadline,
): Promise<CreateSessionOutcome> {
  const { userId, sessionId, idleMs, absoluteMs, authenticationMs } = session;
  const args = { userId, sessionId, grant: grantOf(session), idleMs, absoluteMs, maxPerUser };
  const login = await storeLogin(authenticationMs, async (age) =>
    readLoginVerdict(await call(createSessionFunction, { ...args, ...age }, deadline)),
  );
  if (login.outcome === 'superseded') return login;
  return { outcome: 'created', session: parseSessionRecord(login.stored.object('session')) };
}
