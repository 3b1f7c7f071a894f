import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';

/** `recipients(m)`: the queues of the webhooks to which a message is delivered. */
export const recipients: SqlDefinition = defineStep({
  name: 'recipients',
  params: 'm outbox',
  returns: 'bigint[]',
  body: `
  IF m.webhook_id IS NULL THEN
    RETURN ARRAY(SELECT queue FROM webhooks WHERE account_id = m.account_id AND event = m.event);
  END IF;
  RETURN ARRAY(SELECT queue FROM webhooks WHERE account_id = m.account_id AND webhook_id = m.webhook_id);
`,
});
