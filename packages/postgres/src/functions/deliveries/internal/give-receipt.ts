import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `give_receipt(m, p_deliveries, p_now_ms)`: notes the key that a message is published under, and answers whether it
 * was free. Of parallel calls with one key, one inserts it; the others wait here for that one, and find it.
 */
export const giveReceipt: SqlDefinition = defineStep({
  name: 'give_receipt',
  params: 'm outbox, p_deliveries bigint, p_now_ms bigint',
  returns: 'boolean',
  body: `
  INSERT INTO idempotency_keys AS known (account_id, idempotency_key, message_id, deliveries, expires_at_ms)
  VALUES (m.account_id, m.idempotency_key, m.message_id, p_deliveries, p_now_ms + m.idempotency_ms)
  ON CONFLICT (account_id, idempotency_key) DO UPDATE
     SET message_id = excluded.message_id, deliveries = excluded.deliveries,
         expires_at_ms = excluded.expires_at_ms
   WHERE known.expires_at_ms <= p_now_ms;
  RETURN FOUND;
`,
});
