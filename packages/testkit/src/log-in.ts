import type { NewLogin, SessionRecord, SessionStore } from '@latchhook/core';
import { sessionOf } from './outcomes.ts';
import { ROOMY } from './samples.ts';

/** Starts a session which nothing stands in the way of, as a login without second factor does. */
export async function logIn(
  sessions: SessionStore,
  login: NewLogin,
  limits: { readonly maxPerUser: number } = ROOMY,
): Promise<SessionRecord> {
  return sessionOf(await sessions.create(login, limits), 'created');
}
