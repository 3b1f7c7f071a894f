/**
 * A value, or a promise of one. A promise of a value that is already in memory would be wasted work in functions that
 * are called for every request.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Whether a value is still to come. Accepts any thenable: promises of adapters need not be of this realm. */
export function isPromise<T>(answer: MaybePromise<T>): answer is Promise<T> {
  return answer instanceof Promise || typeof Object(answer).then === 'function';
}

/** Continues with a value, synchronously if it is there already. */
export function whenAnswered<T, Next>(
  answer: MaybePromise<T>,
  next: (value: T) => MaybePromise<Next>,
): MaybePromise<Next> {
  return isPromise(answer) ? answer.then(next) : next(answer);
}
