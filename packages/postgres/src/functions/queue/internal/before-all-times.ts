/**
 * Subtracted from the number of a message for the retry time of a returned delivery, which was claimed and not started.
 * So returned deliveries come before all others, in the order of publishing. The numbers are times in microseconds, so
 * the result is negative for the next two centuries.
 */
export const BEFORE_ALL_TIMES = 9_000_000_000_000_000;
