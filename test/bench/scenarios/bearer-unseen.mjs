import { helloRequest, passwordGrants } from '../harness/grants.mjs';
import { throughput } from '../harness/throughput.mjs';

/**
 * More tokens than any cache of verified tokens holds. They are used in turn, so that each has been evicted when its
 * turn comes again, and every request is a full verification.
 */
const TOKENS = 20_000;

/** The bearer check on a token that the server has not seen before. */
export const bearerUnseen = {
  connections: [64],
  servers: ['jose express', 'latchhook express', 'jose koa', 'latchhook koa'],
  environment: { BENCH_PASSWORD_CHECK: 'plain' },
  prepare: async (server) => {
    const grants = await passwordGrants(server, TOKENS);
    return grants.map((grant) => grant.access_token);
  },
  request: (_server, { prepared: values }) => ({
    ...helloRequest('{token}'),
    tokens: { values, use: 'cycle' },
  }),
  comparisons: [
    { server: 'latchhook express', of: 'jose express', atLeast: 0.95 },
    { server: 'latchhook koa', of: 'jose koa' },
  ],
  run: (options) => throughput(bearerUnseen, options),
};
