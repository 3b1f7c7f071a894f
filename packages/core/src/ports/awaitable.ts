/**
 * What is answered at once, or later. What is in memory is there, and a promise of it would be work for nothing: who is
 * asked for every delivery is therefore not made to promise.
 */
export type Awaitable<T> = T | Promise<T>;

/** Promises of any make: those of adapters need not be this realm's. */
export function isPromise<T>(answer: Awaitable<T>): answer is Promise<T> {
  return answer instanceof Promise || typeof Object(answer).then === 'function';
}

/** Goes on with an answer: at once where it is there. */
export function whenAnswered<T, Next>(
  answer: Awaitable<T>,
  goOn: (value: T) => Awaitable<Next>,
): Awaitable<Next> {
  return isPromise(answer) ? answer.then(goOn) : goOn(answer);
}
