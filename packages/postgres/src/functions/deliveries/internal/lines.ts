import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/** The most attempts that can be in flight: a delivery with more before it cannot start anyway. */
const MAX_COUNTED = 1_000;

/**
 * `place_of(w, d, p_now_ms)`: how many are before a delivery in its line. First tries wait in the order of publishing,
 * retries in the order in which they began to wait. One about to join the retries has all of them before it.
 *
 * Exact up to `MAX_COUNTED`. Beyond that it only spreads the times of starts, and is estimated from the numbers in the
 * rows, so that a long backlog is not counted again and again.
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
       LIMIT ${MAX_COUNTED}
    ) earlier;
    IF v_place < ${MAX_COUNTED} THEN RETURN v_place; END IF;
    RETURN greatest(${MAX_COUNTED}, least(w.queued - 1, d.sequence - w.queued_from));
  END IF;

  IF d.retry_place IS NULL THEN RETURN w.retries; END IF;
  SELECT count(*) INTO v_place FROM (
    SELECT FROM deliveries
     WHERE webhook = w.sequence AND expires_at_ms > p_now_ms
       AND retry_place >= w.retries_from AND retry_place < d.retry_place
     LIMIT ${MAX_COUNTED}
  ) earlier;
  IF v_place < ${MAX_COUNTED} THEN RETURN v_place; END IF;
  RETURN greatest(${MAX_COUNTED}, least(w.retries - 1, d.retry_place - w.retries_from));
`,
});

/**
 * `without_forgotten(w, p_enough, p_now_ms)`: answers the webhook with the lengths of its lines without what is
 * forgotten, to find ranks by. It is not to be saved: the row counts such deliveries until they are deleted.
 *
 * Counts as far as `p_enough`, which is the room there is: who is behind so many finds none anyway. A line that is
 * longer keeps the length that the row has.
 */
export const withoutForgotten: SqlDefinition = defineStep({
  name: 'without_forgotten',
  params: 'w webhooks, p_enough bigint, p_now_ms bigint',
  returns: 'webhooks',
  declare: '  v_length bigint;',
  body: `
  IF w.queued > 0 THEN
    SELECT count(*) INTO v_length FROM (
      SELECT FROM deliveries
       WHERE webhook = w.sequence AND state = 'queued' AND expires_at_ms > p_now_ms
         AND sequence >= w.queued_from
       LIMIT greatest(0, p_enough)
    ) first_tries;
    IF v_length < p_enough THEN w.queued := v_length; END IF;
  END IF;
  IF w.retries > 0 THEN
    SELECT count(*) INTO v_length FROM (
      SELECT FROM deliveries
       WHERE webhook = w.sequence AND expires_at_ms > p_now_ms
         AND retry_place >= w.retries_from
       LIMIT greatest(0, p_enough)
    ) retries;
    IF v_length < p_enough THEN w.retries := v_length; END IF;
  END IF;
  RETURN w;
`,
});

/** `in_turns(w, p_place, p_is_first)`: how many are before this place of a line, if both take turns. */
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

/** `in_flight(w, p_now_ms)`: how many attempts are in flight, whose lease is not over. */
export const inFlight: SqlDefinition = defineStep({
  name: 'in_flight',
  params: 'w webhooks, p_now_ms bigint',
  returns: 'bigint',
  body: `
  RETURN (SELECT count(*) FROM deliveries
    WHERE webhook = w.sequence AND state = 'sending' AND lease_ends_at_ms > p_now_ms);
`,
});

/** `joined(w)`: answers the webhook with one more retry that waits, at `last_retry_place`. */
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

/** `leave_lines(w, d)`: answers the webhook without this delivery in a line, or held, if it was there. */
export const leaveLines: SqlDefinition = defineStep({
  name: 'leave_lines',
  params: 'w webhooks, d deliveries',
  returns: 'webhooks',
  body: `
  w.queued := w.queued - (d.state = 'queued')::integer;
  w.held := w.held - (d.state = 'held')::integer;
  w.retries := w.retries - (d.retry_place IS NOT NULL)::integer;
  RETURN w;
`,
});
