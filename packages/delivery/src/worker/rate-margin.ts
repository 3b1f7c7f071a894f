import { LONGEST_RATE_MARGIN_MS } from '@latchhook/core/storage';

/** The least margin, ms: enough for a store nearby and an event loop that is not busy. */
const LEAST_MS = 25;
/** The usual age before the first claim, ms: a process that has just started is slow. */
const AT_FIRST_MS = 100;
/** The margin, as a multiple of the usual age. */
const SLACK = 1.5;
/**
 * The most by which one late claim increases the usual age, ms. A single late claim may be due to a paused process.
 * After two in a row, the usual age is the lower age of the two. An attempt that is too late uses up a permit of the
 * rate limit without being sent: at a limit of one a minute, the whole minute.
 */
const STEP_MS = 10;
/**
 * After a claim, the usual age moves towards the age of that claim's last attempt by this share of their distance:
 * upwards and downwards.
 */
const UP_SHARE = 0.5;
const DOWN_SHARE = 0.05;
/** Above `AT_FIRST_MS` it moves downwards faster because a wide margin costs throughput. */
const WIDE_DOWN_SHARE = 0.5;

/**
 * The longest time from a claim to the start of its attempts, ms. It follows the recent ages of attempts, so that a
 * distant store or a busy process does not make every attempt too late. A wider margin costs throughput at the rate
 * limit because each start counts for longer.
 */
export class RateMargin {
  #usualMs = AT_FIRST_MS;
  /** The age at the last claim if it was late, ms. */
  #lateMs: number | undefined;

  get ms(): number {
    return Math.min(LONGEST_RATE_MARGIN_MS, Math.max(LEAST_MS, Math.ceil(this.#usualMs * SLACK)));
  }

  /** @param ageMs - the time from a claim to the start of its last attempt */
  record(ageMs: number): void {
    const isLate = ageMs > this.ms;
    if (isLate && this.#lateMs !== undefined) {
      this.#usualMs = Math.min(ageMs, this.#lateMs, LONGEST_RATE_MARGIN_MS / SLACK);
    } else {
      const distance = ageMs - this.#usualMs;
      const downShare = this.#usualMs > AT_FIRST_MS ? WIDE_DOWN_SHARE : DOWN_SHARE;
      this.#usualMs += distance > 0 ? Math.min(STEP_MS, distance * UP_SHARE) : distance * downShare;
    }
    this.#lateMs = isLate ? ageMs : undefined;
  }
}
