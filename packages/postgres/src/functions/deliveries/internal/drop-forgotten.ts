import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/** How many deliveries at the head of a line one call may delete: however many are forgotten, no call takes long. */
const MAX_DROPPED = 100;

/**
 * `drop_forgotten(w, p_state, p_now_ms)`: deletes forgotten deliveries at the head of a line, where they would take the
 * room of others, and answers the webhook without them.
 *
 * It notes where the line of first tries begins. Until PostgreSQL cleans up, the index still has all that expired at
 * the head of the line, and without this each call would read past them.
 *
 * Both states are named for the planner, which uses the partial index of lines only where it sees that it covers them.
 */
export const dropForgotten: SqlDefinition = defineStep({
  name: 'drop_forgotten',
  params: 'w webhooks, p_state text, p_now_ms bigint',
  returns: 'webhooks',
  declare: `
  v_from bigint := CASE p_state WHEN 'queued' THEN w.queued_from ELSE 1 END;
  v_oldest bigint;
  v_oldest_expires_at_ms bigint;
  v_deleted bigint;
`,
  body: `
  SELECT sequence, expires_at_ms INTO v_oldest, v_oldest_expires_at_ms FROM deliveries
   WHERE webhook = w.sequence AND state IN ('queued', 'held') AND state = p_state
     AND sequence >= v_from
   ORDER BY sequence LIMIT 1;
  IF NOT FOUND THEN RETURN w; END IF;
  IF p_state = 'queued' THEN w.queued_from := v_oldest; END IF;
  IF v_oldest_expires_at_ms > p_now_ms THEN RETURN w; END IF;
  DELETE FROM deliveries
   WHERE webhook = w.sequence AND expires_at_ms <= p_now_ms AND sequence = ANY (ARRAY(
     SELECT sequence FROM deliveries
      WHERE webhook = w.sequence AND state IN ('queued', 'held') AND state = p_state
        AND sequence >= v_from
      ORDER BY sequence LIMIT ${MAX_DROPPED}));
  GET DIAGNOSTICS v_deleted = ROW_COUNT;
  IF p_state = 'queued' THEN w.queued := w.queued - v_deleted;
  ELSE w.held := w.held - v_deleted;
  END IF;
  RETURN w;
`,
});

/**
 * `drop_forgotten_retries(w, p_now_ms)`: the same for the line of retries, which others would wait behind: the row of
 * the webhook counts them.
 */
export const dropForgottenRetries: SqlDefinition = defineStep({
  name: 'drop_forgotten_retries',
  params: 'w webhooks, p_now_ms bigint',
  returns: 'webhooks',
  declare: `
  v_oldest bigint;
  v_oldest_expires_at_ms bigint;
  v_deleted bigint;
`,
  body: `
  SELECT retry_place, expires_at_ms INTO v_oldest, v_oldest_expires_at_ms FROM deliveries
   WHERE webhook = w.sequence AND retry_place >= w.retries_from
   ORDER BY retry_place LIMIT 1;
  IF NOT FOUND THEN RETURN w; END IF;
  w.retries_from := v_oldest;
  IF v_oldest_expires_at_ms > p_now_ms THEN RETURN w; END IF;
  DELETE FROM deliveries
   WHERE webhook = w.sequence AND expires_at_ms <= p_now_ms AND sequence = ANY (ARRAY(
     SELECT sequence FROM deliveries
      WHERE webhook = w.sequence AND retry_place >= w.retries_from
      ORDER BY retry_place LIMIT ${MAX_DROPPED}));
  GET DIAGNOSTICS v_deleted = ROW_COUNT;
  w.retries := w.retries - v_deleted;
  RETURN w;
`,
});

/** `drop_from_lines(w, p_now_ms)`: the same for both lines, before a place in one of them is found. */
export const dropFromLines: SqlDefinition = defineStep({
  name: 'drop_from_lines',
  params: 'w webhooks, p_now_ms bigint',
  returns: 'webhooks',
  body: `
  IF w.queued > 0 THEN w := drop_forgotten(w, 'queued', p_now_ms); END IF;
  IF w.retries > 0 THEN w := drop_forgotten_retries(w, p_now_ms); END IF;
  RETURN w;
`,
});

/**
 * `begin_behind(w, d, p_now_ms)`: a delivery starts that none is before, and has left the count of its line. Answers
 * the webhook with that line beginning behind it.
 *
 * What is forgotten before it has no place, but is counted until it is deleted. So the line begins behind the delivery
 * only once none of that is left: otherwise nobody would find it there, and live ones would wait, or expire, in its
 * stead. The row of the delivery still has it in line.
 */
export const beginBehind: SqlDefinition = defineStep({
  name: 'begin_behind',
  params: 'w webhooks, d deliveries, p_now_ms bigint',
  returns: 'webhooks',
  declare: '  v_place bigint;',
  body: `
  IF d.state = 'queued' THEN
    IF w.queued > 0 AND w.queued_from < d.sequence THEN w := drop_forgotten(w, 'queued', p_now_ms); END IF;
    IF w.queued = 0 OR w.queued_from = d.sequence THEN w.queued_from := d.sequence + 1; END IF;
    RETURN w;
  END IF;
  v_place := coalesce(d.retry_place, w.last_retry_place + 1);
  IF w.retries > 0 AND w.retries_from < v_place THEN w := drop_forgotten_retries(w, p_now_ms); END IF;
  IF w.retries = 0 OR w.retries_from = d.retry_place THEN
    w.retries_from := coalesce(d.retry_place, w.last_retry_place) + 1;
  END IF;
  RETURN w;
`,
});
