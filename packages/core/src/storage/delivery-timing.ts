/**
 * The last part of a lease, ms, which the attempt itself never uses: it is reserved for completing the attempt in the
 * store.
 */
export const LEASE_SLACK_MS = 5_000;

/**
 * The largest `rateMarginMs` of a claim. A claim records its attempts as started at the end of its margin; if such a
 * time is further in the future than this, the store's clock was set back.
 */
export const LONGEST_RATE_MARGIN_MS = 10_000;

/** The longest duration of an attempt, ms: connecting, the request and the whole response. */
export const LONGEST_ATTEMPT_MS = 15_000;
