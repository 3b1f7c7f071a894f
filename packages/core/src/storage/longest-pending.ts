/**
 * Far longer than a call to a storage can be pending, ms: its caller gives up long before, and from then on the storage
 * rejects it. What has ended is remembered for at least so long, so that a `create` that is sent again revives nothing.
 */
export const LONGEST_PENDING_MS = 60_000;
