import type { Clock, SqlTransaction } from '@latchhook/core';
import type { NewMessage, PublishWithinOutcome } from '@latchhook/core/storage';
import type { SqlDefinition } from '../../define-function.ts';
import { FunctionAnswer } from '../../function-answer.ts';
import { quotedName } from '../../schema-name.ts';
import { storableText, storedText } from '../../storable-text.ts';

/**
 * Writes a message into the outbox, within a transaction of the host.
 *
 * Outcomes: `published` and `duplicate`, each with the id and the number of webhooks, as far as this transaction sees
 * them; `unknown`.
 *
 * It locks nothing: the host would hold the locks until its commit, and webhooks would stand still meanwhile. So it
 * needs no `enter`: it works under any isolation level, and by its commit the host decides whether it comes too late.
 * The notification goes out with that commit too. Its plans read by indexes, as those of `publish_message`.
 *
 * It takes one argument, as text, which any client that the host may have can pass.
 */
export const publishWithinFunction: SqlDefinition = {
  define: (schema, channel) => `CREATE OR REPLACE FUNCTION ${schema}.publish_within(
  p_message json
) RETURNS json LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, ${schema}, pg_temp
SET enable_seqscan = off
AS $function$
DECLARE
  now_ms bigint := coalesce((p_message ->> 'clockMs')::bigint,
    floor(extract(epoch FROM clock_timestamp()) * 1000));
  m outbox;
  v_before json;
  v_count bigint;
BEGIN
  m := json_populate_record(NULL::outbox, p_message);
  v_before := published_before(m, now_ms);
  IF v_before IS NOT NULL THEN RETURN v_before; END IF;
  SELECT count(*) INTO v_count FROM webhooks
   WHERE account_id = m.account_id
     AND CASE WHEN m.webhook_id IS NULL THEN event = m.event ELSE webhook_id = m.webhook_id END;
  IF v_count = 0 AND m.webhook_id IS NOT NULL THEN
    RETURN json_build_object('outcome', 'unknown');
  END IF;
  INSERT INTO outbox (account_id, message_id, event, body, webhook_id, idempotency_key,
    idempotency_ms, retention_ms, max_queued, rate_margin_ms, written_at_ms)
  VALUES (m.account_id, m.message_id, m.event, m.body, m.webhook_id, m.idempotency_key,
    m.idempotency_ms, m.retention_ms, m.max_queued, m.rate_margin_ms, now_ms);
  PERFORM pg_notify('${channel}', '');
  RETURN json_build_object('outcome', 'published', 'messageId', m.message_id, 'deliveries', v_count);
END
$function$`,
};

export async function publishWithin(
  tx: SqlTransaction,
  schema: string,
  message: NewMessage,
  clock: Clock | undefined,
): Promise<PublishWithinOutcome> {
  const { rows } = await tx.query(
    `SELECT ${quotedName(schema)}.publish_within($1::text::json)::text AS answer`,
    [JSON.stringify({ ...rowOf(message), clockMs: clock?.nowMs() })],
  );
  const value: unknown = JSON.parse(String(rows[0]?.['answer']));
  const answer = new FunctionAnswer('publish_within', value, 0);
  const outcome = answer.outcome(['published', 'duplicate', 'unknown']);
  if (outcome === 'unknown') return { outcome };
  const messageId = storedText(answer.text('messageId'));
  return { outcome, messageId, deliveries: answer.integer('deliveries') };
}

/** The message by the names of the columns. */
function rowOf(message: NewMessage): Readonly<Record<string, string | number | null>> {
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
    rate_margin_ms: message.rateMarginMs,
  };
}
