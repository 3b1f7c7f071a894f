import type { AccountId } from '../account-id.ts';
import type { Page } from '../storage/page.ts';
import type { SessionRecord } from '../storage/session-store.ts';
import type { Sessions } from './session-control.ts';

/** A session in the list of its user. */
export interface ListedSession extends SessionRecord {
  /** The larger, the later the login. Unique among the user's sessions, so that it is a cursor. */
  readonly sequence: number;
}

/** One page of a user's live sessions, newest login first. */
export type ListSessions = (userId: string, page: Page) => Promise<readonly ListedSession[]>;

/**
 * Sorts by the time of the login, which never changes. Sorted by the last refresh, a session that is refreshed between
 * two pages could be on neither.
 *
 * A store returns all of a user's sessions together because there are never more than `maxSessionsPerUser`.
 */
export function createListSessions(sessions: Pick<Sessions<AccountId>, 'list'>): ListSessions {
  return async (userId, { limit, after }) => {
    const allSessions = await sessions.list(userId);
    return allSessions
      .map((session) => ({ ...session, sequence: sequenceOf(session) }))
      .filter(({ sequence }) => after === null || sequence < after)
      .sort((a, b) => b.sequence - a.sequence)
      .slice(0, limit);
  };
}

/** A safe integer has 53 bits, and milliseconds since 1970 need 42 of them until the year 2109. */
const ID_BITS = 11;

/** Distinguishes logins of the same millisecond by a part of their random ids. */
function sequenceOf({ createdAtMs, sessionId }: SessionRecord): number {
  const part = Buffer.alloc(2);
  part.write(sessionId, 'base64url');
  return createdAtMs * 2 ** ID_BITS + (part.readUInt16BE() >> (16 - ID_BITS));
}
