/** What the store counted last, and how many failures it has not answered yet. */
interface Run {
  counted: number;
  pending: number;
}

/**
 * Failures in a row, by subject, as far as this process knows before the store has counted them.
 *
 * Expiry: a run is known while any of its failures is being counted, so that no more are kept than are under way.
 */
export class FailureRuns {
  readonly #runs = new Map<string, Run>();

  /** Adds a failure that the store is about to count; answers which in a row it is expected to be. */
  begin(subject: string): number {
    const run = this.#runs.get(subject) ?? { counted: 0, pending: 0 };
    this.#runs.set(subject, run);
    run.pending += 1;
    return run.counted + run.pending;
  }

  /** Takes over what the store has counted, while the failure is not ended yet: others may have failed elsewhere. */
  recount(subject: string, counted: number): void {
    const run = this.#runs.get(subject);
    if (run !== undefined) run.counted = counted;
  }

  /** Ends what `begin` began, whether the store has answered or failed. */
  end(subject: string): void {
    const run = this.#runs.get(subject);
    if (run === undefined) return;
    run.pending -= 1;
    if (run.pending === 0) this.#runs.delete(subject);
  }
}
