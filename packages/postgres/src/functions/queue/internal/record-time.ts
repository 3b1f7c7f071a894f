import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';

/**
 * How often the time of a claim is stored, ms. A clock that was set back by less goes undetected, and delays deliveries
 * by no more than that.
 */
const RECORDED_EVERY_MS = 1_000;

/** Whether to call `record_time`, which takes longer than this check. */
export function isTimeUnrecorded(nowMs: string): string {
  return `(SELECT abs(${nowMs} - recorded_at_ms) > ${RECORDED_EVERY_MS} FROM clock) IS NOT FALSE`;
}

/**
 * `record_time(p_lease_ms, p_now_ms)`: stores the time. If the clock was set back, for example because another server
 * has taken over, queues that wait for a future time are due now, and their backoff ends; the next claim postpones
 * those that cannot start yet. Leases then end no later than one that begins now would.
 *
 * It skips locked rows because it changes queues of accounts that the caller has not locked.
 */
export const recordTime: SqlDefinition = defineStep({
  name: 'record_time',
  params: 'p_lease_ms bigint, p_now_ms bigint',
  returns: 'void',
  declare: 'v_recorded_ms bigint;',
  body: `
  SELECT recorded_at_ms INTO v_recorded_ms FROM clock;
  IF NOT FOUND THEN
    INSERT INTO clock (recorded_at_ms) VALUES (p_now_ms) ON CONFLICT DO NOTHING;
    RETURN;
  END IF;
  -- Another claim that has locked the row records the time.
  PERFORM FROM clock FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE clock SET recorded_at_ms = p_now_ms;
  IF v_recorded_ms - p_now_ms <= ${RECORDED_EVERY_MS} THEN RETURN; END IF;
  UPDATE queues
     SET due_at_ms = p_now_ms, backoff_until_ms = least(backoff_until_ms, p_now_ms)
   WHERE queue = ANY (ARRAY(SELECT queue FROM queues WHERE due_at_ms > p_now_ms FOR UPDATE SKIP LOCKED));
  UPDATE leases SET ends_at_ms = p_now_ms + p_lease_ms
   WHERE ctid = ANY (ARRAY(SELECT ctid FROM leases WHERE ends_at_ms > p_now_ms + p_lease_ms FOR UPDATE SKIP LOCKED));
`,
});
