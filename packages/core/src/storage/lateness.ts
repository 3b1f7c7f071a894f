/** How late a delivery must be to be woken again, ms: the process that was to ask for it may be dead, or far behind. */
export const REWAKE_AFTER_MS = 100;

/**
 * The last part of its lease, as engines choose it, that a live attempt never uses, ms. An attempt in flight counts as
 * late from the beginning of that part, although its delivery may not be started again before the end of the lease.
 */
export const LEASE_SLACK_MS = 5_000;

/** How long an attempt may take at most, ms: connecting, the request and all of its answer. */
export const LONGEST_ATTEMPT_MS = 15_000;

/** How long a webhook may pause at most, ms: what seems to be a longer pause comes of a clock that was set back. */
export const LONGEST_PAUSE_MS = 60_000;
