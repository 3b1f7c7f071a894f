import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/** `lock_recipients(m)`: locks the webhooks that a message is for, always in the same order, and answers them. */
export const lockRecipients: SqlDefinition = defineStep({
  name: 'lock_recipients',
  params: 'm outbox',
  returns: 'webhooks[]',
  declare: '  v_webhooks webhooks[];',
  body: `
  IF m.webhook_id IS NULL THEN
    SELECT array_agg(locked::webhooks) INTO v_webhooks FROM (
      SELECT * FROM webhooks WHERE account_id = m.account_id AND event = m.event
       ORDER BY sequence FOR UPDATE
    ) locked;
  ELSE
    SELECT array_agg(locked::webhooks) INTO v_webhooks FROM (
      SELECT * FROM webhooks WHERE account_id = m.account_id AND webhook_id = m.webhook_id
       FOR UPDATE
    ) locked;
  END IF;
  RETURN coalesce(v_webhooks, '{}');
`,
});
