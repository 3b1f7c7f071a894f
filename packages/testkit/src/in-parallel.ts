import type { Storage } from '@latchhook/core';

/** Makes all calls at once, in turns over the connections, and answers what each was answered. */
export function inParallel<Answer>(
  count: number,
  connections: readonly Storage[],
  call: (storage: Storage, nth: number) => Promise<Answer>,
): Promise<Answer[]> {
  const calls: Promise<Answer>[] = [];
  while (calls.length < count) {
    for (const storage of connections) {
      if (calls.length < count) calls.push(call(storage, calls.length));
    }
  }
  return Promise.all(calls);
}
