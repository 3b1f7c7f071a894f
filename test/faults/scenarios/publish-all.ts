import { setTimeout as elapsed } from 'node:timers/promises';

const PUBLISHED_AT_ONCE = 20;
const PAUSE_MS = 50;

/**
 * Publishes a few events at a time, and resolves to the ids of those that were acknowledged. An event without
 * acknowledgement does not count, because it may arrive or not.
 */
export async function publishAll(
  count: number,
  publish: (nth: number) => Promise<string>,
): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const nth = next;
      next += 1;
      const id = await publish(nth).catch(() => elapsed(PAUSE_MS, null));
      if (id !== null) acknowledged.push(id);
    }
  };
  await Promise.all(Array.from({ length: PUBLISHED_AT_ONCE }, lane));
  return acknowledged;
}
