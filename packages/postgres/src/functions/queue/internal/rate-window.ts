import { LONGEST_RATE_MARGIN_MS } from '@latchhook/core/storage';

/**
 * About how many entries the rate window has per period. Starts that are close together share an entry, which leaves
 * the window with the last of them. So the row of a queue stays small at any rate, and little throughput is lost.
 */
const ENTRIES_PER_PERIOD = 50;

/**
 * How long a claim may take from reading its time to visiting a queue, ms. Meanwhile another claim, whose time is
 * later, may have visited the queue, so an entry that is later by this much is no sign of a clock that was set back.
 */
const LONGEST_CLAIM_MS = 5_000;

/**
 * The variables of {@link READ_RATE_WINDOW} and {@link ADD_TO_RATE_WINDOW}, which are part of the step `take_heads`: a
 * function of their own would be called for each queue. They also use its `q`, `v_rate_limit`, `v_period_ms` and
 * `v_taken`.
 */
export const DECLARE_RATE_WINDOW = `
  v_first integer := 1;
  v_last integer;
  v_free_starts bigint;
  v_begin_by_ms bigint := p_now_ms + p_rate_margin_ms;
`;

/**
 * Sets `v_free_starts` to the number of attempts that the rate limit of the queue `q` allows now.
 *
 * The rate window has an entry for each claim, oldest first: `starts_at_ms` is the latest time at which its attempts
 * may begin, and `starts` their number. Entries that have left the window are dropped, except the last one, which may
 * be within the window again if the period is changed. If the last entry is later than even a claim with a later time
 * could have made it, the clock was set back: then all starts count as if they were now.
 */
export const READ_RATE_WINDOW = `
  v_last := cardinality(q.starts);
  IF q.starts_at_ms[v_last] - p_now_ms > ${LONGEST_RATE_MARGIN_MS + LONGEST_CLAIM_MS} THEN
    q.starts := ARRAY[(SELECT sum(n) FROM unnest(q.starts) AS counted (n))];
    q.starts_at_ms := ARRAY[p_now_ms];
    v_last := 1;
  END IF;
  WHILE v_first <= v_last AND p_now_ms - q.starts_at_ms[v_first] >= v_period_ms LOOP v_first := v_first + 1; END LOOP;
  v_free_starts := v_rate_limit;
  FOR entry IN v_first .. v_last LOOP v_free_starts := v_free_starts - q.starts[entry]; END LOOP;
  q.starts := q.starts[least(v_first, v_last):];
  q.starts_at_ms := q.starts_at_ms[least(v_first, v_last):];
`;

/**
 * Adds the attempts in `v_taken` to the rate window of `q`: to the last entry if its time is no earlier than
 * `v_begin_by_ms`, or if its starts would still be close together; else as a new entry. All starts of the last entry
 * are later than the time of the entry before it, so they are at most as far apart as `v_begin_by_ms` is from that
 * time.
 */
export const ADD_TO_RATE_WINDOW = `
  IF v_first > v_last THEN
    -- All entries have left the window, so the one that was kept is dropped.
    q.starts := '{}';
    q.starts_at_ms := '{}';
  END IF;
  v_last := cardinality(q.starts);
  IF v_begin_by_ms - q.starts_at_ms[v_last - 1] < v_period_ms / ${ENTRIES_PER_PERIOD}
    OR v_begin_by_ms <= q.starts_at_ms[v_last] THEN
    q.starts_at_ms[v_last] := greatest(q.starts_at_ms[v_last], v_begin_by_ms);
    q.starts[v_last] := q.starts[v_last] + cardinality(v_taken);
  ELSE
    q.starts_at_ms := q.starts_at_ms || v_begin_by_ms;
    q.starts := q.starts || cardinality(v_taken)::bigint;
  END IF;
`;
