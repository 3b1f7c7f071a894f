/**
 * What was claimed and not started comes before all else, in the order of publishing: its time is the number of its
 * message, less this. Numbers of messages are times in microseconds, so that it is negative for two centuries.
 */
export const BEFORE_ALL_TIMES = 9_000_000_000_000_000;
