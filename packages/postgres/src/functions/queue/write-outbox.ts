import type { Clock, SqlTransaction } from '@latchhook/core';
import type { NewMessage, PublishWithinOutcome } from '@latchhook/core/storage';
import { BY_INDEXES, type SqlDefinition } from '../../define-function.ts';
import { FunctionResult } from '../../function-result.ts';
import { quotedName } from '../../schema-name.ts';
import { storedText } from '../../storable-text.ts';
import { messageRow } from './publish-messages.ts';

/**
 * Writes a message to the outbox within a transaction of the host. The next claim after the commit publishes it.
 *
 * Outcomes: `published` and `duplicate`, each with the id of the message and the number of webhooks that this
 * transaction sees; `unknown`.
 *
 * It takes no lock and inserts no unique key because the host's transaction would hold these until its commit while
 * other transactions wait. So it works under any isolation level. It cannot expire because the host decides by its
 * commit whether the message is published. The commit also notifies the workers.
 *
 * Its only argument is passed as text because every driver can pass text.
 */
export const writeOutboxFunction: SqlDefinition = {
  define: (schema) => `CREATE OR REPLACE FUNCTION ${schema}.write_outbox(
  p_message json
) RETURNS json LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, ${schema}, pg_temp${BY_INDEXES}
AS $function$
DECLARE
  now_ms bigint := coalesce((p_message ->> 'clock_ms')::bigint,
    floor(extract(epoch FROM clock_timestamp()) * 1000));
  m outbox := json_populate_record(NULL::outbox, p_message);
  v_known json := known_message(m, now_ms);
  v_count bigint;
BEGIN
  IF v_known IS NOT NULL THEN RETURN v_known; END IF;
  v_count := cardinality(recipients(m));
  IF v_count = 0 AND m.webhook_id IS NOT NULL THEN RETURN json_build_object('outcome', 'unknown'); END IF;
  m.written_at_ms := now_ms;
  -- OVERRIDING USER VALUE: the column entry gets its next value.
  INSERT INTO outbox OVERRIDING USER VALUE SELECT m.*;
  PERFORM notify_workers();
  RETURN json_build_object('outcome', 'published', 'messageId', m.message_id, 'deliveries', v_count);
END
$function$`,
};

export async function writeOutbox(
  tx: SqlTransaction,
  schema: string,
  message: NewMessage,
  clock: Clock | undefined,
): Promise<PublishWithinOutcome> {
  const { rows } = await tx.query(
    `SELECT ${quotedName(schema)}.write_outbox($1::text::json)::text AS result`,
    [JSON.stringify({ ...messageRow(message), clock_ms: clock?.nowMs() })],
  );
  // A wrapper of the host's transaction may return the rows without an object around them.
  if (!Array.isArray(rows)) {
    throw new TypeError('tx.query must resolve to an object with rows, as a client of pg does');
  }
  const value: unknown = JSON.parse(String(rows[0]?.['result']));
  const result = new FunctionResult('write_outbox', value, 0);
  const outcome = result.outcome(['published', 'duplicate', 'unknown']);
  if (outcome === 'unknown') return { outcome };
  const messageId = storedText(result.text('messageId'));
  return { outcome, messageId, deliveries: result.integer('deliveries') };
}
