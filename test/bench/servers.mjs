import { fileURLToPath } from 'node:url';
import { hasPeer } from './harness/peer.mjs';

const node = (file, ...args) => [
  process.execPath,
  fileURLToPath(new URL(file, import.meta.url)),
  ...args,
];

/** A host that has loaded its Redis client already: the fair base of a cold start. */
const withIoredis = ([executable, ...args]) => [
  ...[executable, '--import', import.meta.resolve('ioredis')],
  ...args,
];

/** The commands that start the servers that a scenario may measure. */
const commands = {
  'latchhook express': node('candidates/express.mjs'),
  'latchhook express, memory': node('candidates/express.mjs', 'memory'),
  'latchhook express, postgres': node('candidates/express.mjs', 'postgres'),
  'latchhook express, postgres async': node('candidates/express.mjs', 'postgres-async'),
  'latchhook express, mysql': node('candidates/express.mjs', 'mysql'),
  'latchhook koa': node('candidates/koa.mjs'),
  // A second process of the same server, for requests by cookie.
  'latchhook express, cookies': node('candidates/express.mjs'),
  'latchhook koa, cookies': node('candidates/koa.mjs'),
  'bare express': node('references/bearer.mjs', 'express', 'none'),
  'bare koa': node('references/bearer.mjs', 'koa', 'none'),
  'host express': withIoredis(node('references/bearer.mjs', 'express', 'none')),
  'host koa': withIoredis(node('references/bearer.mjs', 'koa', 'none')),
  'limit express': node('references/bearer.mjs', 'express', 'cached'),
  'limit koa': node('references/bearer.mjs', 'koa', 'cached'),
  'jose express': node('references/bearer.mjs', 'express', 'jose'),
  'jose koa': node('references/bearer.mjs', 'koa', 'jose'),
  'floor express': node('references/token.mjs', 'express'),
  'floor koa': node('references/token.mjs', 'koa'),
  'argon2 only': node('references/argon2-only.mjs'),
  'node-oauth express': node('references/node-oauth.mjs'),
  sink: node('references/sink.mjs'),
  'undici sender': node('references/delivery.mjs', 'undici'),
  'bullmq sender': node('references/delivery.mjs', 'bullmq'),
  'latchhook memory sender': node('candidates/delivery.mjs', 'memory'),
  'latchhook redis sender': node('candidates/delivery.mjs', 'redis'),
  'bullmq publisher': node('references/delivery.mjs', 'bullmq', 'publish'),
  'bullmq worker': node('references/delivery.mjs', 'bullmq', 'work'),
  'latchhook redis publisher': node('candidates/delivery.mjs', 'redis', 'publish'),
  'latchhook redis worker': node('candidates/delivery.mjs', 'redis', 'work'),
  'pg-boss publisher': node('references/delivery.mjs', 'pg-boss', 'publish'),
  'pg-boss worker': node('references/delivery.mjs', 'pg-boss', 'work'),
  'graphile publisher': node('references/delivery.mjs', 'graphile', 'publish'),
  'graphile worker': node('references/delivery.mjs', 'graphile', 'work'),
  'latchhook postgres publisher': node('candidates/delivery.mjs', 'postgres', 'publish'),
  'latchhook postgres worker': node('candidates/delivery.mjs', 'postgres', 'work'),
};

const neededPeers = {
  'node-oauth express': '@node-oauth/express-oauth-server',
  'bullmq sender': 'bullmq',
  'bullmq publisher': 'bullmq',
  'bullmq worker': 'bullmq',
  'pg-boss publisher': 'pg-boss',
  'pg-boss worker': 'pg-boss',
  'graphile publisher': 'graphile-worker',
  'graphile worker': 'graphile-worker',
};

/** The named servers, without those whose peer is not installed. */
export function availableServers(names) {
  return names
    .filter((name) => !(name in neededPeers) || hasPeer(neededPeers[name]))
    .map((name) => ({ name, command: commands[name] }));
}
