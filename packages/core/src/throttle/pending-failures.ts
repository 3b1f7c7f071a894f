/** Longer than any login takes from its admission to its failure, ms. */
const KEPT_MS = 10_000;

/** What the store counted last, and how many failures it has not answered yet. */
interface Count {
  counted: number;
  /** By the monotonic clock, ms. */
  countedAtMs: number;
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
    const known = this.#counts.get(subject);
    const count = known ?? { counted: 0, countedAtMs: Number.NEGATIVE_INFINITY, pending: 0 };
    const isOlder = count.pending > 0 || admittedAtMs <= count.countedAtMs;
    count.counted = isOlder ? Math.max(count.counted, counted) : counted;
    count.pending += 1;
    this.#counts.delete(subject);
    this.#counts.set(subject, count);
    return count.counted + count.pending;
  }

  /**
   * Takes over what the store has counted, while the failure is not ended yet: others may have failed elsewhere.
   * Answers over several connections may arrive in another order.
   */
  recount(subject: string, counted: number): void {
    const count = this.#counts.get(subject);
    if (count === undefined) return;
    count.counted = Math.max(count.counted, counted);
    count.countedAtMs = this.#nowMs();
  }

  /** Ends what `begin` began, whether the store has answered or failed. */
  end(subject: string): void {
    const count = this.#counts.get(subject);
    if (count !== undefined) count.pending -= 1;
  }

  #forget(): void {
    const untilMs = this.#nowMs() - KEPT_MS;
    for (const [subject, { countedAtMs, pending }] of this.#counts) {
      if (pending > 0 || countedAtMs > untilMs) return;
      this.#counts.delete(subject);
    }
  }
}
