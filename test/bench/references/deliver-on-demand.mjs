import { serve } from './contract.mjs';

/** How many deliveries a sender has in flight, and how many events a publisher publishes at a time. */
export const IN_FLIGHT = 50;

/** The data of an event of the benchmark: some 500 bytes with its envelope. */
export const eventData = (nth) => ({ id: nth, email: 'ada@example.com', pad: 'x'.repeat(400) });

/** Calls `one` for 0 to `count` - 1, `IN_FLIGHT` at a time. */
export async function inTurns(count, one) {
  let next = 0;
  const lane = async () => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
}

/**
 * Serves `GET /go?n=&webhooks=`: answers `{startedAtMs, seconds}` once `publish(nth, webhooks)` has settled for each of
 * the `n`; `startedAtMs` is in ms since 1970. A process that does not publish only says that it is ready.
 */
export function publishOnDemand(publish) {
  serve(async (request, response) => {
    const { searchParams } = new URL(request.url, 'http://bench');
    const [count, webhooks] = ['n', 'webhooks'].map((name) => Number(searchParams.get(name)));
    const startedMs = performance.now();
    try {
      await inTurns(count, (nth) => publish(nth, webhooks));
      response.end(
        JSON.stringify({
          startedAtMs: performance.timeOrigin + startedMs,
          seconds: (performance.now() - startedMs) / 1000,
        }),
      );
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
}
