import {
  accountName,
  type CallDeadline,
  type NewMessage,
  type PublishedMessage,
} from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import type { FunctionResult } from '../../function-result.ts';
import { storableText, storedText } from '../../storable-text.ts';
import { parseDeliveryRef } from '../../webhook-record.ts';

/**
 * Stores messages with their deliveries, all or none. Outcome: `published`, with the result of `store_messages` for
 * each message, in the same order.
 */
export const publishMessagesFunction = defineFunction({
  name: 'publish_messages',
  byIndexes: true,
  args: { messages: 'json' },
  declare:
    'v_messages outbox[] := ARRAY(SELECT json_populate_recordset(NULL::outbox, p_messages));',
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
RETURN json_build_object('outcome', 'published',
  'answers', store_messages(v_messages, NULL, now_ms));
`,
});

export async function publishMessages(
  call: CallFunction,
  messages: readonly NewMessage[],
  deadline: CallDeadline,
): Promise<readonly PublishedMessage[]> {
  const args = { messages: messages.map(messageRow) };
  const result = await call(publishMessagesFunction, args, deadline);
  result.expectOutcome('published');
  const answers = result.list('answers');
  return messages.map((_message, i) => parsePublished(answers[i]));
}

function parsePublished(result: FunctionResult | undefined): PublishedMessage {
  if (result === undefined)
    throw new Error('publish_messages returned fewer results than messages.');
  const outcome = result.outcome(['published', 'duplicate', 'unknown']);
  if (outcome === 'unknown') return { outcome };
  return {
    outcome,
    messageId: storedText(result.text('messageId')),
    deliveries: result.integer('deliveries'),
    expired: result.list('expired').map(parseDeliveryRef),
  };
}

/** A message as a row of `outbox`, by column name. */
export function messageRow(message: NewMessage): Readonly<Record<string, string | number | null>> {
  const { webhookId, idempotencyKey } = message;
  return {
    account_id: accountName(message.accountId),
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
