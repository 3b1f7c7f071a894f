/**
 * The retry time of a returned delivery, which was claimed and not started or whose lease has expired, is the number
 * of its message minus this constant. So returned deliveries come before all others, in the order of publishing. The
 * number of a message is its time in microseconds, so such a retry time is negative for the next two centuries.
 */
export const BEFORE_ALL_TIMES = 9_000_000_000_000_000;
