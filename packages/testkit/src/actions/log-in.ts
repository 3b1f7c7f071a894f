import type { NewLogin, SessionRecord, SessionStore } from '@latchhook/core/storage';
import { AMPLE_LIMITS } from '../samples/login-samples.ts';
import { expectSession } from './outcomes.ts';

/** Creates a session like a login without a second factor. The creation must succeed. */
export async function logIn(
  sessions: SessionStore,
  login: NewLogin,
  limits: { readonly maxPerUser: number } = AMPLE_LIMITS,
): Promise<SessionRecord> {
  return expectSession(await sessions.create(login, limits), 'created');
}
