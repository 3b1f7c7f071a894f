/**
 * How many attempts of one delivery are kept, the newest: it can be sent again without end, but its log must not grow
 * without end. A run has ten tries, so this is two runs.
 */
export const ATTEMPTS_KEPT = 20;

/** How many attempts of one delivery keep what the receiver answered, the newest: that takes most of the room. */
export const RESPONSES_KEPT = 5;

/** How much of a receiver's answer an attempt keeps, bytes of UTF-8. The receiver chooses the answer. */
export const MAX_RESPONSE_BYTES = 4_096;

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
  /** The body of a refusal, cut to {@link MAX_RESPONSE_BYTES}; `null` for an acceptance, or where no body came. */
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
