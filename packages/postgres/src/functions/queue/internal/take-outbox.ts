import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';

/** A claim stops publishing after so many messages or deliveries because other transactions wait for it. */
const MAX_MESSAGES = 32;
const MAX_DELIVERIES = 128;

/**
 * `take_outbox(p_now_ms)`: publishes the messages that committed transactions of the host have written to the outbox,
 * in the order of writing. Returns whether more are waiting (`more`), and the deliveries that expired because a queue
 * was full (`expired`).
 *
 * Call it only if the outbox has rows: an empty one costs a lock.
 *
 * To keep the order, only one transaction publishes from the outbox at a time; others skip this step.
 */
export const takeOutbox: SqlDefinition = defineStep({
  name: 'take_outbox',
  params: 'p_now_ms bigint',
  returns: 'json',
  declare: `
  v_waiting outbox[];
  v_results json;
  v_expired json;
`,
  body: `
  IF NOT pg_try_advisory_xact_lock(hashtextextended('outbox', 'outbox'::regclass::oid::bigint)) THEN
    RETURN json_build_object('more', false, 'expired', '[]'::json);
  END IF;
  v_waiting := ARRAY(SELECT oldest::outbox FROM (
    SELECT * FROM outbox ORDER BY entry LIMIT ${MAX_MESSAGES}) oldest);
  v_results := store_messages(v_waiting, ${MAX_DELIVERIES}, p_now_ms);
  v_waiting := v_waiting[:json_array_length(v_results)];
  DELETE FROM outbox WHERE entry IN (SELECT entry FROM unnest(v_waiting));
  SELECT json_agg(expired) INTO v_expired
    FROM json_array_elements(v_results) AS listed (result) CROSS JOIN json_array_elements(result -> 'expired') AS expired;
  RETURN json_build_object('more', EXISTS (SELECT FROM outbox), 'expired', coalesce(v_expired, '[]'));
`,
});
