// Imported into a worker process before everything else. It tells the parent when each request begins, how many
// attempts were claimed, how each was completed, and whenever the store was asked for anything: a command, a query, or
// a connection. Times are ms since 1970.
//
// A request begins when it is written, or, if it is the first of its connection, when it begins to connect.
import { subscribe } from 'node:diagnostics_channel';
import { Redis } from 'ioredis';
import pg from 'pg';
import { storage } from './delivery-parts.mjs';

const nowMs = () => performance.timeOrigin + performance.now();

/** When a connection began: by its connector, and by its socket once it has one. */
const begunAtMs = new WeakMap();
subscribe('undici:client:beforeConnect', ({ connector }) => begunAtMs.set(connector, nowMs()));
subscribe('undici:client:connected', ({ connector, socket }) => {
  begunAtMs.set(socket, begunAtMs.get(connector));
  // The request that it was made for is written at once, unless it has been withdrawn: then another may use it later.
  queueMicrotask(() => begunAtMs.delete(socket));
});
subscribe('undici:client:sendHeaders', ({ socket }) => {
  process.send({ begunAtMs: begunAtMs.get(socket) ?? nowMs() });
  begunAtMs.delete(socket);
});

/** Replaces a method by one that does the same; `before` is called first. */
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

const { deliveries } = storage;
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
