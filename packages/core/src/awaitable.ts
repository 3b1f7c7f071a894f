/**
 * An answer, or a promise of one. For what is in memory a promise would be wasted work, so whoever is asked for every
 * delivery need not make one.
 */
export type Awaitable<T> = T | Promise<T>;

/** Whether an answer is still to come. Accepts any thenable: promises of adapters need not be of this realm. */
export function isPromise<T>(answer: Awaitable<T>): answer is Promise<T> {
  return answer instanceof Promise || typeof Object(answer).then === 'function';
}

/** Goes on with an answer, at once if it is there. */
export function whenAnswered<T, Next>(
  answer: Awaitable<T>,
  goOn: (value: T) => Awaitable<Next>,
): Awaitable<Next> {
  return isPromise(answer) ? answer.then(goOn) : goOn(answer);
}
