import type { Page } from '../storage/page.ts';
import type { SessionRecord } from '../storage/session-store.ts';
import type { Sessions } from './session-control.ts';

/** A session with its place in the list of its user. */
export interface ListedSession extends SessionRecord {
  readonly sequence: number;
}

/** One page of a user's live sessions, newest login first. */
export type ListSessions = (userId: string, page: Page) => Promise<readonly ListedSession[]>;

/**
 * By the time of the login, which never changes: by that of the last refresh, a session that is refreshed while
 * somebody turns the page would be on neither.
 *
 * A store answers all of a user's sessions at once, as there are never more than `maxSessionsPerUser`.
 */
export function createListSessions(sessions: Pick<Sessions, 'list'>): ListSessions {
  return async (userId, { limit, after }) => {
    const listed = await sessions.list(userId);
    return listed
      .map((session) => ({ ...session, sequence: sequenceOf(session) }))
      .filter(({ sequence }) => after === null || sequence < after)
      .sort((a, b) => b.sequence - a.sequence)
      .slice(0, limit);
  };
}

/** What is left of 53 bits beside milliseconds since 1970, for a century to come. */
const ID_BITS = 11;

/** Tells logins of one millisecond apart, too: by a part of their ids, which are random. */
function sequenceOf({ createdAtMs, sessionId }: SessionRecord): number {
  const part = Buffer.alloc(2);
  part.write(sessionId, 'base64url');
  return createdAtMs * 2 ** ID_BITS + (part.readUInt16BE() >> (16 - ID_BITS));
}
