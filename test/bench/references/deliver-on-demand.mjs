import { serve } from './contract.mjs';

/** How many deliveries a sender publishes at a time, and has pending. */
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

/** Serves `GET /go?n=`: answers `{seconds}` once `deliverAll(n)` has settled. */
export function deliverOnDemand(deliverAll) {
  serve(async (request, response) => {
    const count = Number(new URL(request.url, 'http://bench').searchParams.get('n'));
    const startedMs = performance.now();
    try {
      await deliverAll(count);
      response.end(JSON.stringify({ seconds: (performance.now() - startedMs) / 1000 }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
}
