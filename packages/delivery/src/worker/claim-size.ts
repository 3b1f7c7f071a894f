import type { ClaimedAttempt } from '@latchhook/core/storage';

/** The most attempts of a claim: all of them have to begin within the rate margin. */
const MAX_CLAIM = 64;
/** The most text in the bodies of a claim, in UTF-16 code units: four bodies of the largest size. */
const MAX_CHARS = 1_048_576;

/**
 * How many attempts the next claim asks for, so that bodies like the last ones have `MAX_CHARS` in all. The reply to a
 * claim of many large bodies blocks the process while it is parsed; over a slow network it would arrive after the
 * deadline, each time again.
 */
export class ClaimSize {
  #limit = MAX_CLAIM;

  get limit(): number {
    return this.#limit;
  }

  record(attempts: readonly Pick<ClaimedAttempt, 'body'>[]): void {
    const chars = attempts.reduce((sum, { body }) => sum + body.length, 0);
    if (chars === 0) return;
    const limit = Math.floor((MAX_CHARS * attempts.length) / chars);
    this.#limit = Math.max(1, Math.min(MAX_CLAIM, limit));
  }

  /** A claim has failed, perhaps because its reply was too large to arrive in time. */
  recordFailure(): void {
    this.#limit = Math.ceil(this.#limit / 2);
  }
}
