import type { TestApp } from '../apps/test-app.ts';
import { type Fields, session, type TokenBody } from './token-calls.ts';
import { bodyOf, callsWith, type ListBody, type UserCalls } from './webhook-calls.ts';

/** A session in the list of its user. */
export interface SessionBody {
  readonly object: 'Session';
  readonly id: string;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly expires_at: string;
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly amr: readonly string[];
  readonly account_id: number | null;
  readonly current: boolean;
}

export const SESSIONS = '/users/self/sessions';

/** A login, with its tokens and the calls of its access token. No two logins are in one millisecond. */
export interface LoggedIn extends UserCalls {
  readonly tokens: TokenBody;
  readonly id: string;
}

export async function logInWithCalls(
  app: TestApp,
  user: string = 'ada',
  fields: Fields = {},
): Promise<LoggedIn> {
  app.clock.advance(1);
  const tokens = await session(app, user, fields);
  const calls = callsWith(app, tokens.access_token);
  const current = (await listSessions(calls)).find((listed) => listed.current);
  if (current === undefined) throw new Error('a login is not among the sessions of its user');
  return { ...calls, tokens, id: current.id };
}

export async function listSessions(calls: UserCalls): Promise<readonly SessionBody[]> {
  return bodyOf<ListBody<SessionBody>>(await calls.send('GET', SESSIONS), 200).data;
}
