import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';

/**
 * `known_message(m, p_now_ms)`: the outcome `duplicate` if a message with the same idempotency key or id was published
 * before; else `NULL`.
 */
export const knownMessage: SqlDefinition = defineStep({
  name: 'known_message',
  params: 'm outbox, p_now_ms bigint',
  returns: 'json',
  declare: `
  v_message_id text;
  v_deliveries bigint;
`,
  body: `
  IF m.idempotency_key IS NOT NULL THEN
    SELECT message_id, deliveries INTO v_message_id, v_deliveries FROM idempotency_keys
     WHERE account_id = m.account_id AND idempotency_key = m.idempotency_key AND expires_at_ms > p_now_ms;
  END IF;
  IF v_message_id IS NULL THEN
    SELECT message_id, cardinality(queues) INTO v_message_id, v_deliveries FROM messages
     WHERE account_id = m.account_id AND message_id = m.message_id AND expires_at_ms > p_now_ms;
  END IF;
  IF v_message_id IS NULL THEN RETURN NULL; END IF;
  RETURN json_build_object('outcome', 'duplicate', 'messageId', v_message_id, 'deliveries', v_deliveries,
    'expired', json '[]');
`,
});
