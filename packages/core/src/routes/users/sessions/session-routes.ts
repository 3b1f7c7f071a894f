import type { AccountId, AccountIdKind } from '../../../account-id.ts';
import type { SessionCookies } from '../../../cookies/session-cookies.ts';
import { createListSessions } from '../../../sessions/list-sessions.ts';
import type { Sessions } from '../../../sessions/session-control.ts';
import type { Route } from '../../route.ts';
import { deleteSession } from './delete-session.ts';
import { deleteSessions } from './delete-sessions.ts';
import { getSessions } from './get-sessions.ts';
import { sessionAnswers } from './session-schemas.ts';

/** @param idleMs - how long a session lives without a refresh, ms */
export function sessionRoutes(
  sessions: Sessions<AccountId>,
  idleMs: number,
  accountIdKind: AccountIdKind,
  cookies?: SessionCookies,
): readonly Route[] {
  return [
    getSessions(createListSessions(sessions), idleMs, sessionAnswers[accountIdKind]),
    deleteSession(sessions, cookies),
    deleteSessions(sessions, cookies),
  ];
}
