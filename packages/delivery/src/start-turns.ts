/**
 * Enough for ten thousand attempts a second where the store answers within 3 ms, and few enough that their answers,
 * which may come together, are worked off within some milliseconds.
 */
const AT_ONCE = 32;

/**
 * Bounds how many of a process's attempts are between being asked for and being sent. Each has to be sent within the
 * margin of the rate, once it is admitted. Of five hundred that ask at once most would be late, however quick the store
 * is, and would have to ask again. First come, first served.
 */
export class StartTurns {
  #free = AT_ONCE;
  readonly #line = new Set<(isTurn: boolean) => void>();

  /** `null`: at once; else whether it comes. Who has had a turn gives it back. */
  take(): Promise<boolean> | null {
    if (this.#free === 0) return new Promise((resolve) => void this.#line.add(resolve));
    this.#free -= 1;
    return null;
  }

  giveBack(): void {
    for (const tell of this.#line) {
      this.#line.delete(tell);
      tell(true);
      return;
    }
    this.#free += 1;
  }

  /** Where the store does not answer: whoever waits would find that too, one after the other. */
  refuseWaiting(): void {
    for (const tell of this.#line) tell(false);
    this.#line.clear();
  }
}
