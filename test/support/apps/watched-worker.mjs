// Imported into a worker process before everything else. It sends the parent the time of each request, the number of
// claimed attempts, the outcome of each, and the time of each command, query and connection to the store. Times are ms
// since 1970.
//
// The first request of a connection begins when undici begins to connect; any other, when undici asks the worker for
// its consent to write it. The time of the write itself may be much later: no worker can prevent that its process is
// stopped between the consent and the write.
import { subscribe } from 'node:diagnostics_channel';
import { Redis } from 'ioredis';
import mysql from 'mysql2';
import pg from 'pg';
import { Pool } from 'undici';
import { storage } from './delivery-parts.mjs';

const nowMs = () => performance.timeOrigin + performance.now();

/** When each connection was begun: by its connector, and once it is connected, by its socket. */
const begunAtMs = new WeakMap();
subscribe('undici:client:beforeConnect', ({ connector }) => begunAtMs.set(connector, nowMs()));
subscribe('undici:client:connected', ({ connector, socket }) => {
  begunAtMs.set(socket, begunAtMs.get(connector));
  // undici writes the first request in this turn. If that request was cancelled, another one may use the connection at
  // any later time, with a consent of its own.
  queueMicrotask(() => begunAtMs.delete(socket));
});
/** When undici last asked. With the consent of the worker, the write follows in the same turn of the event loop. */
let consentAskedAtMs = 0;
watchCalls(Pool.prototype, 'dispatch', (_request, handler) =>
  watchCalls(handler, 'onRequestStart', () => {
    consentAskedAtMs = nowMs();
  }),
);
subscribe('undici:client:sendHeaders', ({ socket }) => {
  process.send({ begunAtMs: begunAtMs.get(socket) ?? consentAskedAtMs });
  begunAtMs.delete(socket);
});

/** Wraps a method, so that `before` is called first. */
function watchCalls(object, name, before) {
  const method = object[name];
  object[name] = function (...args) {
    before(...args);
    return method.apply(this, args);
  };
}

const tellAsked = () => process.send({ askedAtMs: nowMs() });
watchCalls(Redis.prototype, 'sendCommand', tellAsked);
watchCalls(Redis.prototype, 'connect', tellAsked);
watchCalls(pg.Client.prototype, 'query', tellAsked);
watchCalls(pg.Client.prototype, 'connect', tellAsked);
for (const name of ['connect', 'query', 'execute']) {
  watchCalls(mysql.Connection.prototype, name, tellAsked);
}

const { deliveries } = storage;
// SQLite has no server: retries of a call for the lock of the file stay within this process.
if (storage.name === 'sqlite') {
  watchCalls(deliveries, 'claim', tellAsked);
  watchCalls(deliveries, 'complete', tellAsked);
}
const { claim, complete } = deliveries;
deliveries.claim = async (request) => {
  const claimed = await claim.call(deliveries, request);
  if (claimed.attempts.length > 0) process.send({ claimed: claimed.attempts.length });
  return claimed;
};
deliveries.complete = async (ends, limits) => {
  const completed = await complete.call(deliveries, ends, limits);
  process.send({ completed: completed.map(({ outcome }) => outcome) });
  return completed;
};
