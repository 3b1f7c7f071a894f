/** How late a delivery must be to be woken again, ms: the process that was to ask for it may be dead, or far behind. */
export const REWAKE_AFTER_MS = 100;

/**
 * How much of its lease, as engines choose it, a live attempt never uses, ms. So an attempt under way counts as late from
 * this long before the end of its lease on, though it may not be started anew before that end.
 */
export const LEASE_SLACK_MS = 5_000;
