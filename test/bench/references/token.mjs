// node token.mjs express|koa: the floor. The least code for both grants on that framework: the password check, one
// synchronous ES256 signature, one round trip to Redis. It has no feature that a product needs.
import { createHash, randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { passwordCheck, same, serve } from './contract.mjs';
import { issueToken } from './es256.mjs';

const { BENCH_CLIENT_ID, BENCH_CLIENT_SECRET, BENCH_USERNAME, REDIS_URL } = process.env;
const REFRESH_TTL_SECONDS = 3600;

const redis = new Redis(REDIS_URL);
redis.defineCommand('rotate', {
  numberOfKeys: 2,
  lua: `
    local session = redis.call('GETDEL', KEYS[1])
    if session then redis.call('SET', KEYS[2], session, 'EX', ARGV[1]) end
    return session`,
});
const check = await passwordCheck();
const key = (token) => `rt:${createHash('sha256').update(token).digest('base64url')}`;

async function token(body) {
  if (body.client_id !== BENCH_CLIENT_ID || !same(body.client_secret, BENCH_CLIENT_SECRET)) {
    return [401, { error: 'invalid_client' }];
  }
  const refreshToken = randomBytes(32).toString('base64url');
  const granted = await grants[body.grant_type]?.(body, key(refreshToken));
  if (!granted) return [400, { error: 'invalid_grant' }];
  const response = { access_token: issueToken(), token_type: 'bearer', expires_in: 3600 };
  return [200, { ...response, refresh_token: refreshToken }];
}

const grants = {
  async password({ username, password }, successor) {
    if (username !== BENCH_USERNAME || !(await check(password))) return false;
    await redis.set(successor, '{"sub":"user-1"}', 'EX', REFRESH_TTL_SECONDS);
    return true;
  },
  async refresh_token({ refresh_token: predecessor }, successor) {
    return (await redis.rotate(key(predecessor), successor, REFRESH_TTL_SECONDS)) !== null;
  },
};

async function expressListener() {
  const { default: express } = await import('express');
  const app = express();
  app.post('/token', express.urlencoded({ extended: false }), async (req, res) => {
    const [status, body] = await token(req.body);
    res.status(status).set('cache-control', 'no-store').json(body);
  });
  return app;
}

async function koaListener() {
  const { default: Koa } = await import('koa');
  const app = new Koa();
  app.use(async (ctx) => {
    if (ctx.path !== '/token') return;
    [ctx.status, ctx.body] = await token(await readForm(ctx.req));
    ctx.set('cache-control', 'no-store');
  });
  return app.callback();
}

async function readForm(req) {
  let text = '';
  for await (const chunk of req.setEncoding('latin1')) text += chunk;
  return Object.fromEntries(new URLSearchParams(text));
}

serve(await { express: expressListener, koa: koaListener }[process.argv[2]]());
