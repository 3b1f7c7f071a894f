/**
 * How many of the newest attempts of a delivery are kept: twice as many as the retry schedule has. Without this bound,
 * a client that redelivers one delivery in a loop would grow its log without end.
 */
export const ATTEMPTS_KEPT = 20;

/** The result of one attempt. */
export interface AttemptResult {
  /** The HTTP status of the response; `null` without a response. */
  readonly status: number | null;
  readonly durationMs: number;
  /**
   * An error code such as `timeout`, never text from the receiver; `null` for a complete response. If a lease expires,
   * the store itself records the code `lost`, with the status `null` and the length of the lease as the duration.
   */
  readonly error: string | null;
}

/** One attempt in the log of a delivery. */
export interface ListedAttempt extends AttemptResult {
  /** The number of the attempt, from 1. Every attempt that has started is counted. */
  readonly attempt: number;
  readonly startedAtMs: number;
}
