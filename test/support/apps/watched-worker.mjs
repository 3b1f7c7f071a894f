// Imported into a worker process before everything else. It tells the parent when each request begins, ms since 1970,
// and with STAND_STILL_MS has the process stand still now and then for up to that time, as a busy machine does.
//
// A request begins when it is written, or, if it is the first of its connection, when it begins to connect.
import { subscribe } from 'node:diagnostics_channel';

const NEXT_WITHIN_MS = 600;
const standStillMs = Number(process.env.STAND_STILL_MS ?? 0);
const nowMs = () => performance.timeOrigin + performance.now();

/** When a connection began: by its connector, and by its socket once it has one. */
const begunAtMs = new WeakMap();
subscribe('undici:client:beforeConnect', ({ connector }) => begunAtMs.set(connector, nowMs()));
subscribe('undici:client:connected', ({ connector, socket }) => {
  begunAtMs.set(socket, begunAtMs.get(connector));
});
subscribe('undici:client:sendHeaders', ({ socket }) => {
  process.send({ begunAtMs: begunAtMs.get(socket) ?? nowMs() });
  begunAtMs.delete(socket);
});

function standStill() {
  const untilMs = performance.now() + Math.random() * standStillMs;
  while (performance.now() < untilMs);
  setTimeout(standStill, Math.random() * NEXT_WITHIN_MS).unref();
}
if (standStillMs > 0) setTimeout(standStill, NEXT_WITHIN_MS).unref();
