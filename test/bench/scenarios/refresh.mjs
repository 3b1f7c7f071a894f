import { passwordGrants, refreshRequest } from '../harness/grants.mjs';
import { throughput } from '../harness/throughput.mjs';

const SPARE_TOKENS = 8;

/** Requests that refresh a few more sessions than there are connections. */
export const refreshRequests = async (server, connections, usernameOf) => {
  const grants = await passwordGrants(server, connections + SPARE_TOKENS, usernameOf);
  const values = grants.map((grant) => grant.refresh_token);
  return { ...refreshRequest, tokens: { values, use: 'spend' } };
};

/** The refresh grant with rotation: every refresh token is used once, then its successor. */
export const refresh = {
  connections: [16, 64],
  servers: [
    'floor express',
    'latchhook express',
    'node-oauth express',
    'floor koa',
    'latchhook koa',
  ],
  environment: { BENCH_PASSWORD_CHECK: 'plain' },
  request: (server, { connections }) => refreshRequests(server, connections),
  comparisons: [
    { server: 'latchhook express', of: 'node-oauth express', atLeast: 1.25 },
    { server: 'latchhook koa', of: 'node-oauth express', atLeast: 2 },
    { server: 'latchhook express', of: 'floor express' },
    { server: 'latchhook koa', of: 'floor koa' },
    { server: 'latchhook express', of: 'floor express', metric: 'residentMiB', atMost: 1.1 },
    { server: 'latchhook koa', of: 'floor koa', metric: 'residentMiB', atMost: 1.1 },
  ],
  run: (options) => throughput(refresh, options),
};
