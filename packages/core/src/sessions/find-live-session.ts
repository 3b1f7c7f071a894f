import type { SessionRecord, SessionRef, SessionStore } from '../storage/session-store.ts';

/** Finds a live session as the store holds it. Changes nothing, unlike `rotate`. */
export async function findLiveSession(
  sessions: Pick<SessionStore, 'list'>,
  { userId, sessionId }: SessionRef,
): Promise<SessionRecord | undefined> {
  const live = await sessions.list(userId);
  return live.find((session) => session.sessionId === sessionId);
}
