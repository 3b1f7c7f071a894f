/**
 * The result of a transition, decided by a pure function. For authors of storages.
 *
 * Atomicity: decide within the transaction that has read the data, after it took the lock. Store all of `change` in
 * that same transaction, and return `answer` once it has committed. If the transition is repeated (a conflict, a
 * re-sent command), read the data again first.
 */
export interface Decision<Answer, Change> {
  /** The outcome, as the contract defines it. */
  readonly answer: Answer;
  /** Replaces what was read; `null` where nothing changes. */
  readonly change: Change | null;
}

export function unchanged<Answer>(answer: Answer): Decision<Answer, never> {
  return { answer, change: null };
}
