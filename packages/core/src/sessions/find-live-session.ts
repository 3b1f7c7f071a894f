import type { SessionRecord, SessionRef, SessionStore } from '../storage/session-store.ts';

/** One session as the store holds it, if it lives. Changes nothing, unlike `rotate`. */
export async function findLiveSession(
  sessions: Pick<SessionStore, 'list'>,
  { userId, sessionId }: SessionRef,
): Promise<SessionRecord | undefined> {
  const live = await sessions.list(userId);
  return live.find((session) => session.sessionId === sessionId);
}
