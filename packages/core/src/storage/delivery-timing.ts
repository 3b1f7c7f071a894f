/** The last part of its lease that a live attempt never uses, ms: it is for telling the store how the attempt ended. */
export const LEASE_SLACK_MS = 5_000;

/**
 * The widest margin of a rate that a worker asks for, ms: a start further ahead of a store's clock than this shows that
 * the clock was set back.
 */
export const LONGEST_RATE_MARGIN_MS = 10_000;

/** How long an attempt may take at most, ms: connecting, the request and all of its answer. */
export const LONGEST_ATTEMPT_MS = 15_000;
