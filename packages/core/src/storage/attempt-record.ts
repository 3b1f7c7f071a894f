/**
 * How many of the last attempts of a delivery are kept, so that redelivering it without end does not grow its log
 * without end. It is twice the number of attempts of the retry schedule.
 */
export const ATTEMPTS_KEPT = 20;

/** The result of one attempt. */
export interface AttemptResult {
  /** The HTTP status of the response; `null` without a response. */
  readonly status: number | null;
  readonly durationMs: number;
  /**
   * An error code such as `timeout`; `null` for a complete response. Never text from the receiver. Stores themselves
   * write the code `lost` for an expired lease, without a status, and with the length of the lease as the duration.
   */
  readonly error: string | null;
}

/** One attempt in the log, as lists show it. */
export interface ListedAttempt extends AttemptResult {
  /** From 1. It counts every attempt that has started. */
  readonly attempt: number;
  readonly startedAtMs: number;
}
