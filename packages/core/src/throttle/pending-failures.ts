/** Longer than any login takes from its admission to its failure, ms. */
const KEPT_MS = 10_000;

/** What is known of the failures in a row of one subject. */
interface Count {
  /** How many the store had counted when this process began to count along. */
  base: number;
  /** How many more this process has begun, and of how many of these the store has told their number. */
  begun: number;
  answered: number;
  /** How many more others have counted, at the least. */
  elsewhere: number;
  /** When the store answered last, by the monotonic clock, ms. */
  answeredAtMs: number;
  pending: number;
}

/**
 * Failures in a row, by subject, as far as this process knows before the store has counted them.
 *
 * Expiry: a subject is known while any of its failures is being counted, and for {@link KEPT_MS} more: a login that was
 * admitted before the last count knows only what the store had counted until then.
 */
export class PendingFailures {
  readonly #nowMs: () => number;
  /** The one that failed last is last. */
  readonly #counts = new Map<string, Count>();

  /** @param nowMs - monotonic */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /**
   * Adds a failure that the store is about to count; answers which in a row it is expected to be.
   *
   * @param counted - how many the store had counted when the login was admitted
   */
  begin(
    subject: string,
    {
      failures: counted,
      admittedAtMs,
    }: { readonly failures: number; readonly admittedAtMs: number },
  ): number {
    this.#forget();
    const count = this.#known(subject, admittedAtMs) ?? startAt(counted);
    count.elsewhere = Math.max(count.elsewhere, counted - count.base - count.begun);
    count.begun += 1;
    count.pending += 1;
    this.#counts.delete(subject);
    this.#counts.set(subject, count);
    return count.base + count.begun + count.elsewhere;
  }

  /**
   * Takes over which in a row the store has counted, while the failure is not ended yet. A number that this process
   * alone cannot have reached shows that others have failed elsewhere; a lower one may be an answer that was overtaken.
   */
  recount(subject: string, counted: number): void {
    const count = this.#counts.get(subject);
    if (count === undefined) return;
    count.answered += 1;
    if (counted > count.base + count.begun) {
      count.elsewhere = Math.max(count.elsewhere, counted - count.base - count.answered);
    }
    count.answeredAtMs = this.#nowMs();
  }

  /** Ends what `begin` began, whether the store has answered or failed. */
  end(subject: string): void {
    const count = this.#counts.get(subject);
    if (count !== undefined) count.pending -= 1;
  }

  /** What counts for a login that was admitted at that time too: one that came since knows it from the store. */
  #known(subject: string, admittedAtMs: number): Count | undefined {
    const count = this.#counts.get(subject);
    if (count === undefined || count.pending > 0) return count;
    return admittedAtMs <= count.answeredAtMs ? count : undefined;
  }

  #forget(): void {
    const untilMs = this.#nowMs() - KEPT_MS;
    for (const [subject, { answeredAtMs, pending }] of this.#counts) {
      if (pending > 0 || answeredAtMs > untilMs) return;
      this.#counts.delete(subject);
    }
  }
}

function startAt(base: number): Count {
  const answeredAtMs = Number.NEGATIVE_INFINITY;
  return { base, begun: 0, answered: 0, elsewhere: 0, answeredAtMs, pending: 0 };
}
