import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../deliveries/internal/define-step.ts';

/** A claim takes no further message once it has taken so many, or made so many deliveries: others wait for it. */
const MESSAGES_TAKEN = 64;
const DELIVERIES_MADE = 256;

/**
 * `take_outbox(p_now_ms)`: publishes messages of transactions of the host that have committed, in the order of writing.
 * Answers whether more wait (`more`), and the deliveries that expire for them (`expired`).
 *
 * Only one transaction at a time, to keep the order; while it takes, others pass on.
 */
export const takeOutbox: SqlDefinition = defineStep({
  name: 'take_outbox',
  params: 'p_now_ms bigint',
  returns: 'json',
  declare: `
  m queue_outbox;
  v_answer json;
  v_expired json := '[]';
  v_places bigint[] := '{}';
  v_accounts bigint[] := '{}';
  v_messages bigint[] := '{}';
  v_deliveries bigint := 0;
`,
  body: `
  IF NOT EXISTS (SELECT FROM queue_outbox)
    OR NOT pg_try_advisory_xact_lock(hashtextextended('outbox', 'queue_outbox'::regclass::oid::bigint)) THEN
    RETURN json_build_object('more', false, 'expired', v_expired);
  END IF;
  FOR m IN SELECT * FROM queue_outbox ORDER BY place LIMIT ${MESSAGES_TAKEN} LOOP
    v_answer := store_message(m, p_now_ms);
    v_places := v_places || m.place;
    IF v_answer ->> 'message' IS NOT NULL THEN
      v_accounts := v_accounts || m.account_id;
      v_messages := v_messages || (v_answer ->> 'message')::bigint;
      v_deliveries := v_deliveries + (v_answer ->> 'deliveries')::bigint;
      IF json_array_length(v_answer -> 'expired') > 0 THEN
        SELECT json_agg(given_up) INTO v_expired FROM (
          SELECT given_up FROM json_array_elements(v_expired) AS before (given_up)
          UNION ALL
          SELECT json_build_object('accountId', m.account_id, 'webhookId', given_up ->> 'webhookId',
                   'deliveryId', given_up ->> 'deliveryId')
            FROM json_array_elements(v_answer -> 'expired') AS added (given_up)) AS all_of_them;
      END IF;
    END IF;
    EXIT WHEN v_deliveries >= ${DELIVERIES_MADE};
  END LOOP;
  DELETE FROM queue_outbox WHERE place = ANY (v_places);
  PERFORM announce(v_accounts, v_messages, p_now_ms);
  RETURN json_build_object('more', EXISTS (SELECT FROM queue_outbox), 'expired', v_expired);
`,
});
