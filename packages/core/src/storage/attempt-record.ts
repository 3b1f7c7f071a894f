/**
 * Attempts of one delivery that are kept, the newest: it can be sent again without end, and must not grow with it. A
 * delivery has ten tries, so this is two runs of it.
 */
export const ATTEMPTS_KEPT = 20;

/** What was answered is kept of so many attempts of a delivery, the newest: it takes most of the room. */
export const RESPONSES_KEPT = 5;

/** How one attempt went. */
export interface AttemptResult {
  /** HTTP status of the answer; `null` where none came. */
  readonly status: number | null;
  readonly durationMs: number;
  /**
   * A code for what went wrong, such as `timeout`; `null` where nothing did. Never text of the receiver's. A store itself
   * writes one: `lost`, without a status, and with the whole lease as its duration.
   */
  readonly error: string | null;
  /** What the receiver refused with, cut to 1,024 bytes; `null` where it took the delivery, or said nothing. */
  readonly response: string | null;
}

/** One attempt in the log, as lists show it. */
export interface ListedAttempt extends Omit<AttemptResult, 'response'> {
  /** From 1; counts every start. */
  readonly attempt: number;
  readonly startedAtMs: number;
}

/** One attempt in the log. */
export interface AttemptRecord extends ListedAttempt {
  /** As in {@link AttemptResult}; `null` of all but the newest {@link RESPONSES_KEPT}. */
  readonly response: string | null;
}
