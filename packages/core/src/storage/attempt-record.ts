/**
 * How many attempts of one delivery are kept, the newest: it can be sent again without end, but its log must not grow
 * without end. It has ten tries, so this is twice.
 */
export const ATTEMPTS_KEPT = 20;

/** How one attempt went. */
export interface AttemptResult {
  /** HTTP status of the answer; `null` where none came. */
  readonly status: number | null;
  readonly durationMs: number;
  /**
   * A code for what went wrong, such as `timeout`; `null` where nothing did. Never text of the receiver's. One code is
   * written by stores: `lost`, without a status, and with the whole lease as the duration.
   */
  readonly error: string | null;
}

/** One attempt in the log, as lists show it. */
export interface ListedAttempt extends AttemptResult {
  /** From 1; counts every start. */
  readonly attempt: number;
  readonly startedAtMs: number;
}
