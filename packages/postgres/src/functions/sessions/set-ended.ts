/**
 * How long the row of an ended session is kept, ms: a day, so that most refreshes of an ended session are logged as
 * `revoked` rather than `unknown`. `LONGEST_PENDING_MS` would be enough for repeated calls. The time is longer than in
 * Redis because disk is cheaper than memory.
 */
const TOMBSTONE_MS = 86_400_000;

/** The assignments of `UPDATE sessions SET` that end a session. Needs `now_ms`. */
export const SET_ENDED = `is_ended = true, forget_at_ms = least(forget_at_ms, now_ms + ${TOMBSTONE_MS})`;
