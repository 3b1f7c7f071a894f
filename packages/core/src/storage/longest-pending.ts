/**
 * Far longer than a call to a storage can be pending, ms: calls expire at their deadlines. Ended sessions, tokens and
 * challenges are kept for at least this long, so that a repeated `create` does not revive them.
 */
export const LONGEST_PENDING_MS = 60_000;
