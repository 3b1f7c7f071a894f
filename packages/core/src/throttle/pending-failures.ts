/** Longer than any login takes from its admission to its failure, ms. */
const KEPT_MS = 10_000;

/** What this process knows of the failures in a row of one subject. */
interface Count {
  /** The failures that the store had counted when this process began its own count. */
  base: number;
  /** The failures of this process since then, whether or not the store has counted them. */
  begun: number;
  /** How many of `begun` the store has counted. */
  answered: number;
  /** The failures of other processes since then, as far as the counts of the store show them. */
  elsewhere: number;
  /** When the store answered last, by the monotonic clock, ms. */
  answeredAtMs: number;
  /** How many of `begun` the store is counting. */
  pending: number;
}

/** What a login knows since its admission. */
interface CountAtAdmission {
  /** The failures that the store had counted. */
  readonly failures: number;
  readonly admittedAtMs: number;
}

/**
 * Estimates the number of failures in a row, by subject, before the store has counted them.
 *
 * Expiry: the count of a subject is kept while the store counts any of its failures, and for {@link KEPT_MS} more, for
 * logins that were admitted before the last count.
 */
export class PendingFailures {
  readonly #nowMs: () => number;
  /** In the order of their last failures. */
  readonly #counts = new Map<string, Count>();

  /** @param nowMs - monotonic */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Adds a failure that the store is about to count; returns its expected number in the row. */
  begin(subject: string, { failures: counted, admittedAtMs }: CountAtAdmission): number {
    this.#expire();
    const count = this.#countFor(subject, admittedAtMs) ?? startAt(counted);
    // The login may have read a number that this process alone has not reached.
    count.elsewhere = Math.max(count.elsewhere, counted - count.base - count.begun);
    count.begun += 1;
    count.pending += 1;
    this.#counts.delete(subject);
    this.#counts.set(subject, count);
    return totalOf(count);
  }

  /** The expected number in the row, without another failure. */
  expected(subject: string, { failures: counted, admittedAtMs }: CountAtAdmission): number {
    const count = this.#countFor(subject, admittedAtMs);
    return count === undefined ? counted : totalOf(count);
  }

  /**
   * Records the number in the row that the store has given a failure; call it before `end`.
   *
   * With a base of 3 and 2 failures, this process alone reaches 5. If the store gives its first failure number 8, other
   * processes have had 4 failures before (3 + 4 + 1), and the second failure of this process will be the ninth. A
   * number up to 5 shows no failures of others, because the replies to this process may arrive in another order.
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

  /** The count, unless the login was admitted after the last reply: then the login has read it from the store. */
  #countFor(subject: string, admittedAtMs: number): Count | undefined {
    const count = this.#counts.get(subject);
    if (count === undefined || count.pending > 0) return count;
    return admittedAtMs <= count.answeredAtMs ? count : undefined;
  }

  #expire(): void {
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

function totalOf({ base, begun, elsewhere }: Count): number {
  return base + begun + elsewhere;
}
