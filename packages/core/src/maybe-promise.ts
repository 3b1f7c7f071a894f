/**
 * A value, or a promise of a value. In functions that are called for every request, a promise of a value that is
 * already in memory would be wasted work.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Whether a value is a promise. Accepts any thenable: promises of adapters may come from another realm. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise || typeof Object(value).then === 'function';
}

/** Calls `next` with a value: synchronously, or once the promise of the value resolves. */
export function whenResolved<T, Next>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<Next>,
): MaybePromise<Next> {
  return isPromise(value) ? value.then(next) : next(value);
}
