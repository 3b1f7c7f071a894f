/**
 * What a transition comes to, as a function of plain data has decided it. For who writes a storage.
 *
 * Atomicity: to be made within the transaction that has read what it goes by, behind the lock. `change` is stored in
 * that same transaction, all of it, and `answer` is told once that is committed. Made again (a conflict, a command
 * that was sent again) it goes by what is read then.
 */
export interface Decision<Answer, Change> {
  /** The outcome, as the contract names it. */
  readonly answer: Answer;
  /** To be put in the place of what was read; `null` where nothing changes. */
  readonly change: Change | null;
}

export function unchanged<Answer>(answer: Answer): Decision<Answer, never> {
  return { answer, change: null };
}
