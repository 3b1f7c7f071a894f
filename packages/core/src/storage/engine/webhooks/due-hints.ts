/**
 * Who wants to know that something may have become due, by the name of the engine: in this process alone, whatever
 * connection has changed it. A database of the same kind wakes them needlessly, which costs a claim.
 */
const listeners = new Map<string, Set<() => void>>();

/** Hints within this process. Others find what is due as they poll. */
export class DueHints {
  readonly #name: string;

  constructor(engineName: string) {
    this.#name = engineName;
  }

  give(): void {
    for (const onDue of listeners.get(this.#name) ?? []) onDue();
  }

  subscribe(onDue: () => void): () => Promise<void> {
    const mine = listeners.get(this.#name) ?? new Set();
    listeners.set(this.#name, mine);
    const listener = (): void => onDue();
    mine.add(listener);
    return async () => {
      mine.delete(listener);
      if (mine.size === 0 && listeners.get(this.#name) === mine) listeners.delete(this.#name);
    };
  }
}
