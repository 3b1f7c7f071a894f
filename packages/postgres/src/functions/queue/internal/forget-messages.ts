import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';

/** After how many published messages `forget_expired` is called again, on average. */
export const FORGET_EVERY = 64;

/** `forget_messages(p_messages)`: deletes messages with all of their deliveries. */
export const forgetMessages: SqlDefinition = defineStep({
  name: 'forget_messages',
  params: 'p_messages bigint[]',
  returns: 'void',
  declare: 'm record;',
  body: `
  FOR m IN DELETE FROM messages WHERE message = ANY (p_messages) RETURNING message, queues LOOP
    DELETE FROM deliveries WHERE queue = ANY (m.queues) AND message = m.message;
  END LOOP;
`,
});

/** How many messages a call deletes at most: more than {@link FORGET_EVERY}, so that the table does not grow. */
const MAX_DELETED = 128;

/**
 * `forget_expired(p_now_ms)`: deletes the oldest messages whose retention has ended. It reads messages in the order of
 * publishing, so it needs no index by expiry. If the retention was shortened, newer messages stay until those before
 * them expire.
 */
export const forgetExpired: SqlDefinition = defineStep({
  name: 'forget_expired',
  params: 'p_now_ms bigint',
  returns: 'void',
  declare: `
  m record;
  v_expired bigint[];
  v_forgotten bigint[] := '{}';
`,
  body: `
  v_expired := ARRAY(
    SELECT message FROM (
      SELECT message, expires_at_ms FROM messages ORDER BY message LIMIT ${MAX_DELETED}
    ) oldest WHERE expires_at_ms <= p_now_ms);
  IF v_expired = '{}' THEN RETURN; END IF;
  FOR m IN SELECT message, queues FROM messages WHERE message = ANY (v_expired) FOR UPDATE SKIP LOCKED LOOP
    -- Skips messages with locked deliveries instead of waiting: a transaction that has locked a delivery may wait for
    -- another delivery that is deleted here.
    CONTINUE WHEN (SELECT count(*) FROM deliveries WHERE queue = ANY (m.queues) AND message = m.message) > (
      SELECT count(*) FROM (
        SELECT FROM deliveries WHERE queue = ANY (m.queues) AND message = m.message FOR UPDATE SKIP LOCKED) free);
    v_forgotten := v_forgotten || m.message;
  END LOOP;
  PERFORM forget_messages(v_forgotten);
`,
});
