// Imported into a worker process before all else: tells its parent when each request is written, in ms since 1970, and
// with STAND_STILL_MS has the process stand still now and then, for up to as long, as a busy machine does.
import { subscribe } from 'node:diagnostics_channel';

const NEXT_WITHIN_MS = 600;
const standStillMs = Number(process.env.STAND_STILL_MS ?? 0);

subscribe('undici:client:sendHeaders', () => {
  process.send({ sentAtMs: performance.timeOrigin + performance.now() });
});

function standStill() {
  const untilMs = performance.now() + Math.random() * standStillMs;
  while (performance.now() < untilMs);
  setTimeout(standStill, Math.random() * NEXT_WITHIN_MS).unref();
}
if (standStillMs > 0) setTimeout(standStill, NEXT_WITHIN_MS).unref();
