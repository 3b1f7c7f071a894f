import {
  type CallDeadline,
  type CreateSessionOutcome,
  type NewLogin,
  sessionGrantOf,
  storeLogin,
} from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { readLoginStoreOutcome } from '../../login-store-outcome.ts';
import { parseSessionRecord } from '../../session-record.ts';
import { DECLARE_LOGIN, RETURN_IF_STALE_LOGIN } from '../internal/stale-login.ts';

/**
 * Starts a session at generation 1, and ends the least recently rotated sessions beyond the cap.
 *
 * Outcomes: `created`, with the record; `stale_login` and `needs_retry`, each with the time, if a `revokeAll` has run
 * since the login began, or may have run. If the id is known, `created` changes nothing and has the existing record.
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
  declare: DECLARE_LOGIN,
  body: `
${RETURN_IF_STALE_LOGIN}
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
  const args = { ...session, grant: sessionGrantOf(session), maxPerUser };
  const login = await storeLogin(session.authenticationMs, async (age) =>
    readLoginStoreOutcome(await call(createSessionFunction, { ...args, ...age }, deadline)),
  );
  if (login.outcome === 'stale_login') return login;
  return { outcome: 'created', session: parseSessionRecord(login.stored.object('session')) };
}
