import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';
import { BEFORE_ALL_TIMES } from './before-all-times.ts';
import { joinByKey } from './join-by-key.ts';

/** How many arrivals a claim reads: enough that a burst to one webhook does not delay others. */
const MAX_ARRIVALS = 512;

/**
 * How many accounts a claim locks for arrivals. It is limited because each lock uses an entry of the server's lock
 * table.
 */
const MAX_ACCOUNTS = 64;

/**
 * `take_arrivals(p_now_ms)`: removes the arrivals of accounts that no other transaction has locked, and locks these
 * accounts. Returns the queues with new deliveries, except capped ones: these become due when a permit becomes free.
 *
 * A message may be committed only after one with a higher number was claimed. Its number is then at most `last_taken`,
 * so its delivery is added to the retries, before all others, unless a claim has already taken it.
 */
export const takeArrivals: SqlDefinition = defineStep({
  name: 'take_arrivals',
  params: 'p_now_ms bigint',
  returns: 'bigint[]',
  declare: `
  r record;
  v_arrivals bigint[] := '{}';
  v_accounts text[] := '{}';
  v_queues bigint[];
  v_late_queues bigint[];
  v_late_messages bigint[];
`,
  body: `
  FOR r IN SELECT arrival, account_id FROM arrivals ORDER BY arrival LIMIT ${MAX_ARRIVALS} LOOP
    IF r.account_id = ANY (v_accounts) THEN
      v_arrivals := v_arrivals || r.arrival;
    ELSIF cardinality(v_accounts) < ${MAX_ACCOUNTS} AND try_lock_account(r.account_id) THEN
      v_accounts := v_accounts || r.account_id;
      v_arrivals := v_arrivals || r.arrival;
    END IF;
  END LOOP;
  IF v_arrivals = '{}' THEN RETURN '{}'; END IF;

  -- A separate statement, which sees the commits of the transactions that held these locks before.
  WITH taken AS (
    DELETE FROM arrivals WHERE arrival = ANY (v_arrivals) RETURNING messages
  ), arrived AS (
    SELECT unnest(m.queues) AS queue, m.message
      FROM taken CROSS JOIN unnest(taken.messages) AS listed (message)
     ${joinByKey('messages', 'm', 'm.message = listed.message')}
  )
  SELECT array_agg(DISTINCT q.queue) FILTER (WHERE q.capped_by IS NULL),
         array_agg(q.queue) FILTER (WHERE a.message <= q.last_taken),
         array_agg(a.message) FILTER (WHERE a.message <= q.last_taken)
    INTO v_queues, v_late_queues, v_late_messages
    FROM arrived a ${joinByKey('queues', 'q', 'q.queue = a.queue')};

  IF v_late_queues IS NOT NULL THEN
    UPDATE deliveries d SET retry_at_ms = d.message - ${BEFORE_ALL_TIMES}
      FROM unnest(v_late_queues, v_late_messages) AS listed (queue, message)
     WHERE d.queue = listed.queue AND d.message = listed.message
       AND d.state = 'waiting' AND d.attempt = 0 AND d.retry_at_ms IS NULL
       AND NOT EXISTS (
         SELECT FROM leases l JOIN queues q ON q.queue = d.queue
          WHERE l.account_id = q.account_id AND l.queue = d.queue AND l.message = d.message);
  END IF;
  RETURN coalesce(v_queues, '{}');
`,
});
