import type { TakenMessages } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parsePublished } from '../../published-message.ts';

/** A call takes no further message once it has made so many deliveries: it must end before its deadline. */
const ENOUGH_DELIVERIES = 500;

/**
 * Makes deliveries of messages whose transactions have committed. Outcome: `taken`, with the outcome of each, and
 * whether there are more. While another process takes, it answers none.
 *
 * Only one process at a time, so that messages are taken in order. The webhooks of all of them are locked at once, in
 * the order in which every transition locks webhooks.
 *
 * The outbox is read and deleted from by plans that are made for each call: one that the server has kept from when the
 * outbox was empty, as it mostly is, reads and sorts all that waits, for each hundred.
 */
export const takeCommittedFunction = defineFunction({
  name: 'take_committed',
  byIndexes: true,
  args: { limit: 'bigint' },
  declare: `
m outbox;
v_waiting outbox[];
v_taken json[] := '{}';
v_places bigint[] := '{}';
v_answer json;
v_deliveries bigint := 0;
`,
  body: `
IF NOT pg_try_advisory_xact_lock(hashtextextended('latchhook outbox', 'outbox'::regclass::oid::bigint)) THEN
  RETURN json_build_object('outcome', 'taken', 'messages', '[]'::json, 'more', false);
END IF;
EXECUTE 'SELECT array_agg(oldest::outbox ORDER BY place)
  FROM (SELECT * FROM outbox ORDER BY place LIMIT $1) oldest' INTO v_waiting USING p_limit;
IF v_waiting IS NULL THEN
  RETURN json_build_object('outcome', 'taken', 'messages', '[]'::json, 'more', false);
END IF;
PERFORM FROM webhooks WHERE sequence IN (
  SELECT w.sequence FROM unnest(v_waiting) AS listed
    JOIN webhooks w ON w.account_id = listed.account_id AND w.event = listed.event
   WHERE listed.webhook_id IS NULL
  UNION ALL
  SELECT w.sequence FROM unnest(v_waiting) AS listed
    JOIN webhooks w ON w.account_id = listed.account_id AND w.webhook_id = listed.webhook_id
) ORDER BY sequence FOR UPDATE;
now_ms := enter(p_landing_limit_ms, p_clock_ms);
FOREACH m IN ARRAY v_waiting LOOP
  v_answer := spread_message(m, lock_recipients(m), now_ms);
  v_taken := v_taken || json_build_object('accountId', m.account_id, 'published', v_answer);
  v_places := v_places || m.place;
  v_deliveries := v_deliveries + coalesce((v_answer ->> 'deliveries')::bigint, 0);
  EXIT WHEN v_deliveries >= ${ENOUGH_DELIVERIES};
END LOOP;
EXECUTE 'DELETE FROM outbox WHERE place = ANY ($1)' USING v_places;
RETURN json_build_object('outcome', 'taken', 'messages', to_json(v_taken),
  'more', EXISTS (SELECT FROM outbox));
`,
});

export async function takeCommitted(
  call: CallFunction,
  { limit }: { readonly limit: number },
): Promise<TakenMessages> {
  const answer = await call(takeCommittedFunction, { limit });
  return {
    taken: answer
      .list('messages')
      .map((taken) => parsePublished(taken.integer('accountId'), taken.object('published'))),
    more: answer.boolean('more'),
  };
}
