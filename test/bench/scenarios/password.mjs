import { passwordRequest } from '../harness/grants.mjs';
import { throughput } from '../harness/throughput.mjs';

/** The password grant with argon2id (m=19456, t=2, p=1), which is nearly all of its cost. */
export const password = {
  connections: [16, 64],
  servers: [
    'argon2 only',
    'floor express',
    'latchhook express',
    'latchhook koa',
    'node-oauth express',
  ],
  environment: { BENCH_PASSWORD_CHECK: 'argon2' },
  request: () => passwordRequest(),
  comparisons: [
    { server: 'latchhook express', of: 'argon2 only', atLeast: 0.92 },
    { server: 'latchhook koa', of: 'argon2 only', atLeast: 0.92 },
    { server: 'node-oauth express', of: 'argon2 only' },
  ],
  run: (options) => throughput(password, options),
};

/** The password grant with a trivial check instead of the hash: what all the rest costs. */
export const passwordPlain = {
  connections: [16, 64],
  servers: [
    'floor express',
    'latchhook express',
    'node-oauth express',
    'floor koa',
    'latchhook koa',
  ],
  environment: { BENCH_PASSWORD_CHECK: 'plain' },
  request: () => passwordRequest(),
  comparisons: [
    { server: 'latchhook express', of: 'node-oauth express', atLeast: 1 },
    { server: 'latchhook koa', of: 'node-oauth express', atLeast: 2 },
    { server: 'latchhook express', of: 'floor express' },
    { server: 'latchhook koa', of: 'floor koa' },
  ],
  run: (options) => throughput(passwordPlain, options),
};
