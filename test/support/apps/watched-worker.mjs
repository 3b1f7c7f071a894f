// Imported into a worker process before everything else. It sends the parent the time of each request, the number of
// claimed attempts, the outcome of each, and the time of each command, query and connection to the store. Times are ms
// since 1970.
//
// A request begins when undici asks the worker whether to write it, or, as the first request of its connection, when it
// begins to connect. A process may be stopped between its consent and the write; no worker can prevent that.
import { subscribe } from 'node:diagnostics_channel';
import { Redis } from 'ioredis';
import mysql from 'mysql2';
import pg from 'pg';
import { Pool } from 'undici';
import { storage } from './delivery-parts.mjs';

const nowMs = () => performance.timeOrigin + performance.now();

/** The begin of each connection: by its connector, and later by its socket. */
const begunAtMs = new WeakMap();
subscribe('undici:client:beforeConnect', ({ connector }) => begunAtMs.set(connector, nowMs()));
subscribe('undici:client:connected', ({ connector, socket }) => {
  begunAtMs.set(socket, begunAtMs.get(connector));
  // The first request is written immediately, unless it was cancelled: then another request may use the connection later.
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
