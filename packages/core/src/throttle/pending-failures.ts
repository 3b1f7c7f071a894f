/** What the store counted last, and how many failures it has not answered yet. */
interface Count {
  counted: number;
  pending: number;
}

/**
 * Failures in a row, by subject, as far as this process knows before the store has counted them.
 *
 * Expiry: a subject is known while any of its failures is being counted, so that no more are kept than are pending.
 */
export class PendingFailures {
  readonly #counts = new Map<string, Count>();

  /**
   * Adds a failure that the store is about to count; answers which in a row it is expected to be.
   *
   * @param counted - how many the store had counted when the login was admitted
   */
  begin(subject: string, counted: number): number {
    const count = this.#counts.get(subject) ?? { counted: 0, pending: 0 };
    this.#counts.set(subject, count);
    count.counted = Math.max(count.counted, counted);
    count.pending += 1;
    return count.counted + count.pending;
  }

  /**
   * Takes over what the store has counted, while the failure is not ended yet: others may have failed elsewhere.
   * Answers over several connections may arrive in another order.
   */
  recount(subject: string, counted: number): void {
    const count = this.#counts.get(subject);
    if (count !== undefined) count.counted = Math.max(count.counted, counted);
  }

  /** Ends what `begin` began, whether the store has answered or failed. */
  end(subject: string): void {
    const count = this.#counts.get(subject);
    if (count === undefined) return;
    count.pending -= 1;
    if (count.pending === 0) this.#counts.delete(subject);
  }
}
