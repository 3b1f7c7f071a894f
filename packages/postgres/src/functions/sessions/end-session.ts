/**
 * A day, during which logs can tell an ended session from an unknown one: far longer than `LONGEST_PENDING_MS`, which
 * repeated calls need, and longer than in Redis, as it is on disk.
 */
const TOMBSTONE_MS = 86_400_000;

/** What `UPDATE sessions SET` sets to end a session. Needs `now_ms`. */
export const END_SESSION = `is_ended = true, forget_at_ms = least(forget_at_ms, now_ms + ${TOMBSTONE_MS})`;
