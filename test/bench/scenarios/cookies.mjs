import { byCookie, passwordRequest, send } from '../harness/grants.mjs';
import { throughput } from '../harness/throughput.mjs';
import { bearer } from './bearer.mjs';
import { refresh } from './refresh.mjs';

/** A scenario's request. The servers with `cookies` in their name get it by cookie, as a page sends it. */
const modes = ({ request }, inCookies) => ({
  servers: [
    'latchhook express',
    'latchhook express, cookies',
    'latchhook koa',
    'latchhook koa, cookies',
  ],
  environment: { BENCH_PASSWORD_CHECK: 'plain', BENCH_COOKIES: 'on' },
  request: async (server, options) => {
    const asked = await request(server, options);
    if (!server.name.includes('cookies')) return asked;
    return { ...asked, ...inCookies(await send(server, passwordRequest())) };
  },
  comparisons: ['express', 'koa'].map((framework) => ({
    server: `latchhook ${framework}, cookies`,
    of: `latchhook ${framework}`,
    atLeast: 0.9,
  })),
});

/** The bearer check on a token that the server has seen before, in a cookie. */
export const bearerCookies = {
  connections: bearer.connections,
  ...modes(bearer, (grant) => ({ bearer: undefined, headers: byCookie(grant) })),
  run: (options) => throughput(bearerCookies, options),
};

/** The refresh grant with rotation, by cookie. */
export const refreshCookies = {
  connections: refresh.connections,
  ...modes(refresh, (grant) => ({
    body: 'grant_type=refresh_token',
    headers: byCookie(grant, '{token}'),
  })),
  run: (options) => throughput(refreshCookies, options),
};
