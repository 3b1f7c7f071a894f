import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** How long answers are held back, ms: everything that the server sends in one go has arrived by then. */
const HOLD_BACK_MS = 10;

/**
 * Stands between a server and Redis and counts how often the server waits for it: commands that are pending together
 * count as one round trip, as they do for a request.
 */
export async function startRelay(redisUrl) {
  const sockets = new Set();
  let roundTrips = 0;
  const relay = createServer((client) => {
    const redis = connect(Number(new URL(redisUrl).port), '127.0.0.1');
    for (const socket of [client, redis]) {
      sockets.add(socket.setNoDelay());
      socket.on('error', () => {});
    }
    let waiting = false;
    client.on('data', (commands) => {
      if (!waiting) roundTrips += 1;
      waiting = true;
      redis.write(commands);
    });
    redis.on('data', (answers) => {
      setTimeout(() => {
        waiting = false;
        client.write(answers);
      }, HOLD_BACK_MS);
    });
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    url: `redis://127.0.0.1:${relay.address().port}`,
    get roundTrips() {
      return roundTrips;
    },
    stop: () => {
      for (const socket of sockets) socket.destroy();
      relay.close();
    },
  };
}
