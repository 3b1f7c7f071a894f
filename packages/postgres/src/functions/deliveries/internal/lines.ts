import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/** As many as can be under way: whoever has more before it does not start. */
const COUNTED_AT_MOST = 1_000;

/**
 * `place_of(w, d, p_now_ms)`: how many are before a delivery in its line, which is that of first tries, in the order
 * of publishing, or that of retries, in the order in which they were first told to wait. One that is to join the
 * latter has all of it before it.
 *
 * Exact up to `COUNTED_AT_MOST`: from there on it only spreads what is told, and is reckoned from the numbers, so that a
 * long backlog is not counted again and again.
 */
export const placeOf: SqlDefinition = defineStep({
  name: 'place_of',
  params: 'w webhooks, d deliveries, p_now_ms bigint',
  returns: 'bigint',
  declare: '  v_place bigint;',
  body: `
  IF d.state = 'queued' THEN
    SELECT count(*) INTO v_place FROM (
      SELECT FROM deliveries
       WHERE webhook = w.sequence AND state = 'queued' AND expires_at_ms > p_now_ms
         AND sequence >= w.queued_from AND sequence < d.sequence
       LIMIT ${COUNTED_AT_MOST}
    ) earlier;
    IF v_place < ${COUNTED_AT_MOST} THEN RETURN v_place; END IF;
    RETURN greatest(${COUNTED_AT_MOST}, least(w.queued - 1, d.sequence - w.queued_from));
  END IF;

  IF d.retry_place IS NULL THEN RETURN w.retries; END IF;
  SELECT count(*) INTO v_place FROM (
    SELECT FROM deliveries
     WHERE webhook = w.sequence AND expires_at_ms > p_now_ms
       AND retry_place >= w.retries_from AND retry_place < d.retry_place
     LIMIT ${COUNTED_AT_MOST}
  ) earlier;
  IF v_place < ${COUNTED_AT_MOST} THEN RETURN v_place; END IF;
  RETURN greatest(${COUNTED_AT_MOST}, least(w.retries - 1, d.retry_place - w.retries_from));
`,
});

/** `in_turns(w, p_place, p_is_first)`: how many are before the one at this place of its line, if both take turns. */
export const inTurns: SqlDefinition = defineStep({
  name: 'in_turns',
  params: 'w webhooks, p_place bigint, p_is_first boolean',
  returns: 'bigint',
  body: `
  RETURN p_place + least(
    CASE WHEN p_is_first THEN w.retries ELSE w.queued END,
    p_place + (p_is_first <> w.was_retry_last)::integer);
`,
});

/** `rank_of(w, d, p_now_ms)`: how many are before a delivery, if the lines take turns. */
export const rankOf: SqlDefinition = defineStep({
  name: 'rank_of',
  params: 'w webhooks, d deliveries, p_now_ms bigint',
  returns: 'bigint',
  body: `
  RETURN in_turns(w, place_of(w, d, p_now_ms), d.state = 'queued');
`,
});

/** `in_flight(w, p_now_ms)`: how many attempts are under way, of which the lease is not over. */
export const inFlight: SqlDefinition = defineStep({
  name: 'in_flight',
  params: 'w webhooks, p_now_ms bigint',
  returns: 'bigint',
  body: `
  RETURN (SELECT count(*) FROM deliveries
    WHERE webhook = w.sequence AND state = 'sending' AND lease_ends_at_ms > p_now_ms);
`,
});

/** `joined(w)`: the webhook, of which one more retry waits: at `last_retry_place`. */
export const joined: SqlDefinition = defineStep({
  name: 'joined',
  params: 'w webhooks',
  returns: 'webhooks',
  body: `
  w.retries := w.retries + 1;
  w.last_retry_place := w.last_retry_place + 1;
  RETURN w;
`,
});

/** `left_by(w, d)`: the webhook, of which this delivery waits no more among the retries, if it did. */
export const leftBy: SqlDefinition = defineStep({
  name: 'left_by',
  params: 'w webhooks, d deliveries',
  returns: 'webhooks',
  body: `
  w.retries := w.retries - (d.retry_place IS NOT NULL)::integer;
  RETURN w;
`,
});
