import type { MaybePromise } from '@latchhook/core';

/** Makes all calls at once, spread evenly over the connections, and returns their answers. */
export function inParallel<Connection, Answer>(
  count: number,
  connections: readonly Connection[],
  call: (connection: Connection, nth: number) => MaybePromise<Answer>,
): Promise<Answer[]> {
  const calls: MaybePromise<Answer>[] = [];
  while (calls.length < count) {
    for (const connection of connections) {
      if (calls.length < count) calls.push(call(connection, calls.length));
    }
  }
  return Promise.all(calls);
}
