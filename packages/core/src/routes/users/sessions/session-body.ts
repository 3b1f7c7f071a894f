import type * as v from 'valibot';
import { timeText } from '../../../schema/answer-fields.ts';
import { sessionEndsAtMs } from '../../../storage/decisions/session-state.ts';
import type { SessionRecord } from '../../../storage/session-store.ts';
import type { SessionAnswer } from './session-schemas.ts';

/** A session as its user sees it. */
export function sessionBody(
  session: SessionRecord,
  { currentId, idleMs }: { readonly currentId: string; readonly idleMs: number },
): v.InferOutput<SessionAnswer> {
  const { sessionId: id, createdAtMs, rotatedAtMs } = session;
  return {
    object: 'Session',
    id,
    created_at: timeText(createdAtMs),
    last_used_at: timeText(rotatedAtMs),
    expires_at: timeText(sessionEndsAtMs(session, idleMs)),
    address: session.clientAddress,
    user_agent: session.userAgent,
    amr: session.amr,
    account_id: session.accountId,
    current: id === currentId,
  };
}
