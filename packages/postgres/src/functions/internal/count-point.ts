/**
 * A statement that adds a point to the counter of `p_counter_key`, and returns the counter. If no window is open, it
 * opens one of `p_window_ms`.
 */
export const COUNT_POINT = `INSERT INTO counters AS known (counter_key, points, ends_at_ms)
VALUES (p_counter_key, 1, now_ms + p_window_ms)
ON CONFLICT (counter_key) DO UPDATE
SET points = CASE WHEN now_ms < known.ends_at_ms THEN known.points ELSE 0 END + 1,
  ends_at_ms = CASE WHEN now_ms < known.ends_at_ms THEN known.ends_at_ms ELSE excluded.ends_at_ms END
RETURNING *`;
