/**
 * The result of a transition, decided by a pure function. For authors of storages.
 *
 * Atomicity: decide within the transaction that has read the data, after it took the lock. Store all of `change` in
 * that same transaction, and return `outcome` once it has committed. If the transition is repeated (a conflict, a
 * re-sent command), read the data again first.
 */
export interface Decision<Outcome, Change> {
  /** The outcome, as the contract defines it. */
  readonly outcome: Outcome;
  /** Replaces the states that were read; `null`: nothing changes. */
  readonly change: Change | null;
}

/** A decision that changes nothing. */
export function unchanged<Outcome>(outcome: Outcome): Decision<Outcome, never> {
  return { outcome, change: null };
}
