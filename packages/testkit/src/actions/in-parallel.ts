import type { MaybePromise } from '@latchhook/core';

/** Makes `count` calls in parallel, spread evenly over the connections, and returns the results in order. */
export function inParallel<Connection, Result>(
  count: number,
  connections: readonly Connection[],
  call: (connection: Connection, nth: number) => MaybePromise<Result>,
): Promise<Result[]> {
  const calls: MaybePromise<Result>[] = [];
  while (calls.length < count) {
    for (const connection of connections) {
      if (calls.length < count) calls.push(call(connection, calls.length));
    }
  }
  return Promise.all(calls);
}
