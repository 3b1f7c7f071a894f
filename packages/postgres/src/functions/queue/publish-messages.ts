import type { CallDeadline, NewMessage, PublishedMessage } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { FunctionAnswer } from '../../function-answer.ts';
import type { CallFunction } from '../../function-caller.ts';
import { storableText, storedText } from '../../storable-text.ts';
import { FORGET_EVERY } from './internal/forget-messages.ts';

/**
 * Stores messages with their deliveries: all of them, or nothing. Outcome: `published`, with the answer of
 * `store_message` for each, in their order.
 */
export const publishMessagesFunction = defineFunction({
  name: 'publish_messages',
  byIndexes: true,
  args: { messages: 'json' },
  declare: `
m queue_outbox;
v_answer json;
v_answers json[] := '{}';
v_accounts bigint[] := '{}';
v_messages bigint[] := '{}';
`,
  body: `
now_ms := enter(p_landing_limit_ms, p_clock_ms);
FOR m IN SELECT * FROM json_populate_recordset(NULL::queue_outbox, p_messages) LOOP
  v_answer := store_message(m, now_ms);
  v_answers := v_answers || v_answer;
  IF v_answer ->> 'message' IS NOT NULL THEN
    v_accounts := v_accounts || m.account_id;
    v_messages := v_messages || (v_answer ->> 'message')::bigint;
  END IF;
END LOOP;
IF v_messages <> '{}' THEN
  PERFORM announce(v_accounts, v_messages, now_ms);
  PERFORM wake_workers();
  IF random() * ${FORGET_EVERY} < cardinality(v_messages) THEN PERFORM forget_expired(now_ms); END IF;
END IF;
RETURN json_build_object('outcome', 'published', 'answers', to_json(v_answers));
`,
});

export async function publishMessages(
  call: CallFunction,
  messages: readonly NewMessage[],
  deadline: CallDeadline,
): Promise<readonly PublishedMessage[]> {
  const args = { messages: messages.map(messageRow) };
  const answer = await call(publishMessagesFunction, args, deadline);
  answer.outcome(['published']);
  const answers = answer.list('answers');
  return messages.map(({ accountId }, nth) => parsePublished(accountId, answers[nth]));
}

function parsePublished(accountId: number, answer: FunctionAnswer | undefined): PublishedMessage {
  if (answer === undefined) throw new Error('publish_messages answered fewer than it was given.');
  const outcome = answer.outcome(['published', 'duplicate', 'unknown']);
  if (outcome === 'unknown') return { outcome };
  const messageId = storedText(answer.text('messageId'));
  const deliveries = answer.integer('deliveries');
  if (outcome === 'duplicate') return { outcome, messageId, deliveries, expired: [] };
  const expired = answer.list('expired').map((ref) => ({
    accountId,
    webhookId: storedText(ref.text('webhookId')),
    deliveryId: storedText(ref.text('deliveryId')),
  }));
  return { outcome, messageId, deliveries, expired };
}

/** A message by the names of the columns of `queue_outbox`. */
export function messageRow(message: NewMessage): Readonly<Record<string, string | number | null>> {
  const { webhookId, idempotencyKey } = message;
  return {
    account_id: message.accountId,
    message_id: storableText(message.messageId),
    event: message.event,
    body: message.body,
    webhook_id: webhookId === null ? null : storableText(webhookId),
    idempotency_key: idempotencyKey === null ? null : storableText(idempotencyKey),
    idempotency_ms: message.idempotencyMs,
    retention_ms: message.retentionMs,
    max_queued: message.maxQueued,
  };
}
