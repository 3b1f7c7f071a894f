/**
 * An answer, or a promise of one. A promise of what is already in memory would be wasted work, so functions that are
 * called for every delivery may answer without one.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Whether an answer is still to come. Accepts any thenable: promises of adapters need not be of this realm. */
export function isPromise<T>(answer: MaybePromise<T>): answer is Promise<T> {
  return answer instanceof Promise || typeof Object(answer).then === 'function';
}

/** Continues with an answer, synchronously if it is there already. */
export function whenAnswered<T, Next>(
  answer: MaybePromise<T>,
  goOn: (value: T) => MaybePromise<Next>,
): MaybePromise<Next> {
  return isPromise(answer) ? answer.then(goOn) : goOn(answer);
}
