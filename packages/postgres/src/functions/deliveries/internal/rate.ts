import { LONGEST_PAUSE_MS, MAX_RATE_LIMIT, RATE_LIMIT_PERIOD_MS } from '@latchhook/core/storage';
import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/**
 * `first_in_window(w, p_now_ms)`: the number of the webhook's oldest start that is still in the window; one more than
 * the last number where none is.
 *
 * Starts are numbered, so that the number of starts in the window is a difference, and the nth of them one look-up:
 * nothing is counted, however high the limit. Starts that are "later than now" come of a clock that was set back; they
 * are moved to now, or the rate would stand still for as long.
 */
export const firstInWindow: SqlDefinition = defineStep({
  name: 'first_in_window',
  params: 'w webhooks, p_now_ms bigint',
  returns: 'bigint',
  declare: `
  -- A variable, since a comparison with a volatile function cannot use an index.
  v_since_ms bigint := p_now_ms - window_ms(w);
  v_nth bigint;
`,
  body: `
  UPDATE webhook_starts SET at_ms = p_now_ms WHERE webhook = w.sequence AND at_ms > p_now_ms;
  SELECT nth INTO v_nth FROM webhook_starts
   WHERE webhook = w.sequence AND at_ms > v_since_ms
   ORDER BY at_ms, nth LIMIT 1;
  RETURN coalesce(v_nth, w.last_start + 1);
`,
});

/** `free_starts(w, p_first, p_now_ms)`: how many attempts could start now; none while the webhook pauses. */
export const freeStarts: SqlDefinition = defineStep({
  name: 'free_starts',
  params: 'w webhooks, p_first bigint, p_now_ms bigint',
  returns: 'bigint',
  body: `
  IF pause_end(w, p_now_ms) IS NOT NULL THEN RETURN 0; END IF;
  RETURN w.rate_limit - (w.last_start - p_first + 1);
`,
});

/**
 * `pause_end(w, p_now_ms)`: when the webhook's pause ends; `NULL` where it does not pause. An end that is too far ahead
 * comes of a clock that was set back, and would keep the webhook waiting for as long: it counts as no pause.
 */
export const pauseEnd: SqlDefinition = defineStep({
  name: 'pause_end',
  params: 'w webhooks, p_now_ms bigint',
  returns: 'bigint',
  body: `
  RETURN CASE
    WHEN w.paused_until_ms - p_now_ms BETWEEN 1 AND ${LONGEST_PAUSE_MS} THEN w.paused_until_ms
  END;
`,
});

/** `window_ms(w)`: the period of the rate and its margin. */
export const windowMs: SqlDefinition = defineStep({
  name: 'window_ms',
  params: 'w webhooks',
  returns: 'integer',
  body: `
  RETURN CASE w.rate_limit_period
    WHEN 'second' THEN ${RATE_LIMIT_PERIOD_MS.second}
    ELSE ${RATE_LIMIT_PERIOD_MS.minute}
  END + w.rate_margin_ms;
`,
});

/**
 * `next_turn_ms(w, p_first, p_rank, p_now_ms)`: when a delivery with `p_rank` others before it is scheduled for; now,
 * where the rate lets it start.
 *
 * The times are spread evenly from when the first start leaves the window, so that a backlog neither bursts at the end
 * of each window nor asks in vain. None is before the starts in the window let that rank in, where those that may start
 * now count as started. Two look-ups, whatever the backlog.
 *
 * While the webhook pauses, they are spread from its end on as well, or all that came meanwhile would ask at once.
 */
export const nextTurnMs: SqlDefinition = defineStep({
  name: 'next_turn_ms',
  params: 'w webhooks, p_first bigint, p_rank bigint, p_now_ms bigint',
  returns: 'bigint',
  declare: `
  v_window_ms double precision := window_ms(w);
  v_count bigint := w.last_start - p_first + 1;
  v_free bigint := w.rate_limit - v_count;
  v_surplus bigint := greatest(0, -v_free);
  v_behind bigint := p_rank - greatest(0, v_free);
  v_last bigint := greatest(v_count, w.rate_limit) - 1;
  v_leaving bigint := least(v_surplus + v_behind, v_last);
  v_spread_ms double precision;
  v_allowed_ms double precision;
  v_paused_ms bigint := ceil(pause_end(w, p_now_ms) + p_rank * v_window_ms / w.rate_limit);
`,
  body: `
  IF p_rank < v_free THEN RETURN greatest(p_now_ms, v_paused_ms); END IF;
  v_spread_ms := start_at(w, p_first + v_surplus, p_now_ms)
    + v_behind * v_window_ms / w.rate_limit;
  v_allowed_ms := start_at(w, p_first + v_leaving, p_now_ms)
    + (v_surplus + v_behind - v_leaving) * v_window_ms / w.rate_limit;
  RETURN greatest(ceil(greatest(v_spread_ms, v_allowed_ms) + v_window_ms), v_paused_ms);
`,
});

/** `start_at(w, p_nth, p_now_ms)`: the time of the start with this number; now, for one that is still to come. */
export const startAt: SqlDefinition = defineStep({
  name: 'start_at',
  params: 'w webhooks, p_nth bigint, p_now_ms bigint',
  returns: 'bigint',
  body: `
  IF p_nth > w.last_start THEN RETURN p_now_ms; END IF;
  RETURN (SELECT at_ms FROM webhook_starts WHERE webhook = w.sequence AND nth = p_nth);
`,
});

/** `note_start(w, p_now_ms)`: adds a start, and deletes those that no limit or period can reach: `MAX_RATE_LIMIT`. */
export const noteStart: SqlDefinition = defineStep({
  name: 'note_start',
  params: 'w webhooks, p_now_ms bigint',
  returns: 'webhooks',
  declare: '  v_forgotten integer;',
  body: `
  w.last_start := w.last_start + 1;
  INSERT INTO webhook_starts (webhook, nth, at_ms) VALUES (w.sequence, w.last_start, p_now_ms);
  -- Found by number, not by time: a search by time would begin at index entries of deleted rows, which go only later.
  DELETE FROM webhook_starts
   WHERE webhook = w.sequence AND nth BETWEEN w.first_start AND w.first_start + 3
     AND (nth <= w.last_start - ${MAX_RATE_LIMIT}
       OR at_ms <= p_now_ms - ${RATE_LIMIT_PERIOD_MS.minute} - w.rate_margin_ms);
  GET DIAGNOSTICS v_forgotten = ROW_COUNT;
  w.first_start := w.first_start + v_forgotten;
  RETURN w;
`,
});

/** `withdraw_start(w, p_at_ms)`: withdraws a start that was noted, if it is still kept. */
export const withdrawStart: SqlDefinition = defineStep({
  name: 'withdraw_start',
  params: 'w webhooks, p_at_ms bigint',
  returns: 'webhooks',
  declare: '  v_nth bigint;',
  body: `
  SELECT nth INTO v_nth FROM webhook_starts
   WHERE webhook = w.sequence AND at_ms = p_at_ms ORDER BY nth DESC LIMIT 1;
  IF v_nth IS NULL THEN RETURN w; END IF;
  -- The numbers must stay without a gap: later starts move up by one.
  UPDATE webhook_starts AS start SET at_ms = later.at_ms
    FROM webhook_starts AS later
   WHERE start.webhook = w.sequence AND start.nth >= v_nth
     AND later.webhook = w.sequence AND later.nth = start.nth + 1;
  DELETE FROM webhook_starts WHERE webhook = w.sequence AND nth = w.last_start;
  w.last_start := w.last_start - 1;
  RETURN w;
`,
});
