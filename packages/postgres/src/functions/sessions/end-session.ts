/** A day: a session that was ended is told from an unknown one for the log's sake, and by a call that is repeated. */
const TOMBSTONE_MS = 86_400_000;

/** What `UPDATE sessions SET` sets to end one. Needs `now_ms`. */
export const END_SESSION = `is_ended = true, forget_at_ms = least(forget_at_ms, now_ms + ${TOMBSTONE_MS})`;
