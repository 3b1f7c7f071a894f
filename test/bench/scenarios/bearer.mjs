import { helloRequest, passwordRequest, send } from '../harness/grants.mjs';
import { throughput } from '../harness/throughput.mjs';

/** The bearer check on a token that the server has seen before, as in most requests of an API. */
export const bearer = {
  connections: [64],
  servers: [
    'bare express',
    'limit express',
    'latchhook express',
    'bare koa',
    'limit koa',
    'latchhook koa',
  ],
  environment: { BENCH_PASSWORD_CHECK: 'plain' },
  request: async (server) => {
    const { access_token: token } = await send(server, passwordRequest());
    return helloRequest(token);
  },
  comparisons: [
    { server: 'latchhook express', of: 'limit express', atLeast: 0.95 },
    { server: 'latchhook koa', of: 'limit koa', atLeast: 0.95 },
    { server: 'latchhook express', of: 'bare express' },
    { server: 'latchhook koa', of: 'bare koa' },
  ],
  run: (options) => throughput(bearer, options),
};
