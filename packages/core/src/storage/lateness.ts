/** The last part of its lease that a live attempt never uses, ms: it is for telling the store how the attempt ended. */
export const LEASE_SLACK_MS = 5_000;

/** How long an attempt may take at most, ms: connecting, the request and all of its answer. */
export const LONGEST_ATTEMPT_MS = 15_000;

/** How long a webhook is left alone at most after its receiver asked for that, ms. */
export const LONGEST_PAUSE_MS = 60_000;
