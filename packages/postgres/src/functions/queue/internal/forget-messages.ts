import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../deliveries/internal/define-step.ts';

/** `forget_messages(p_messages)`: deletes messages with all of their deliveries. */
export const forgetMessages: SqlDefinition = defineStep({
  name: 'forget_messages',
  params: 'p_messages bigint[]',
  returns: 'void',
  body: `
  WITH gone AS (
    DELETE FROM queue_messages WHERE message = ANY (p_messages) RETURNING message, queues, created_at_ms
  ), deliveries AS (
    DELETE FROM queue_deliveries d USING gone CROSS JOIN unnest(gone.queues) AS listed (queue)
     WHERE d.queue = listed.queue AND d.message = gone.message
    RETURNING d.queue, d.message, d.retry_at_ms, d.state, gone.created_at_ms
  ), retries AS (
    DELETE FROM queue_retries r USING deliveries d
     WHERE r.queue = d.queue AND r.due_at_ms = d.retry_at_ms AND r.message = d.message
  )
  DELETE FROM queue_failed f USING deliveries d
   WHERE d.state = 'failed'
     AND f.queue = d.queue AND f.created_at_ms = d.created_at_ms AND f.message = d.message;
`,
});

/** Looked at for each message that is published: more than one, to keep up. */
const MESSAGES_AT_ONCE = 128;

/**
 * `forget_expired(p_now_ms)`: forgets the oldest messages whose retention is over. Where that was shortened, younger
 * ones stay until those before them expire: no index by the time of expiry is needed.
 */
export const forgetExpired: SqlDefinition = defineStep({
  name: 'forget_expired',
  params: 'p_now_ms bigint',
  returns: 'void',
  declare: 'v_expired bigint[];',
  body: `
  v_expired := ARRAY(
    SELECT message FROM (
      SELECT message, expires_at_ms FROM queue_messages ORDER BY message LIMIT ${MESSAGES_AT_ONCE}
    ) oldest WHERE expires_at_ms <= p_now_ms);
  IF v_expired = '{}' THEN RETURN; END IF;
  PERFORM forget_messages(ARRAY(
    SELECT message FROM queue_messages WHERE message = ANY (v_expired) FOR UPDATE SKIP LOCKED));
`,
});

/** How many messages are published between two calls of `forget_expired`, on average. */
export const FORGET_EVERY = 64;
