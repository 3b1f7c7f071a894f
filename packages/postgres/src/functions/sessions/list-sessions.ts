import type { SessionRecord } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseSessionRecord } from '../../session-record.ts';

/**
 * Lists a user's live sessions, most recently rotated first.
 *
 * Outcomes: `listed`, with the records.
 */
export const listSessionsFunction = defineFunction({
  name: 'list_sessions',
  args: { userId: 'text' },
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
RETURN json_build_object('outcome', 'listed', 'sessions', coalesce((
  SELECT json_agg(session_record(s) ORDER BY s.rotated_at_ms DESC, s.created_at_ms DESC)
  FROM sessions s WHERE s.user_id = p_user_id AND is_alive(s, now_ms)
), '[]'));
`,
});

export async function listSessions(
  call: CallFunction,
  userId: string,
): Promise<readonly SessionRecord[]> {
  const result = await call(listSessionsFunction, { userId });
  result.expectOutcome('listed');
  return result.list('sessions').map(parseSessionRecord);
}
