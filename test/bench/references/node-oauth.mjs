// @node-oauth/express-oauth-server, with its opaque tokens, on the Express that the candidates use; tokens in Redis.
import express from 'express';
import { Redis } from 'ioredis';
import { peer } from '../harness/peer.mjs';
import { passwordCheck, serve } from './contract.mjs';

const OAuthServer = peer('@node-oauth/express-oauth-server');
const { BENCH_CLIENT_ID, BENCH_CLIENT_SECRET, BENCH_USERNAME, REDIS_URL } = process.env;
const ACCESS_TTL_SECONDS = 3600;
const REFRESH_TTL_SECONDS = 3600;

// Makes plain GET and SET, and so this peer, a tenth faster.
const redis = new Redis(REDIS_URL, { enableAutoPipelining: true });
const check = await passwordCheck();
const client = { id: BENCH_CLIENT_ID, grants: ['password', 'refresh_token'] };

const model = {
  getClient: async (id, secret) =>
    id === BENCH_CLIENT_ID && secret === BENCH_CLIENT_SECRET ? client : null,
  getUser: async (username, password) =>
    username === BENCH_USERNAME && (await check(password)) ? { id: 'user-1' } : null,
  getAccessToken: async (token) => parse(await redis.get(`at:${token}`)),
  getRefreshToken: async (token) => parse(await redis.get(`rt:${token}`)),
  validateScope: async () => ['user'],
  verifyScope: async () => true,
  revokeToken: async ({ refreshToken }) => (await redis.del(`rt:${refreshToken}`)) === 1,
  async saveToken(token, { id }, user) {
    const saved = { ...token, client: { id }, user };
    const json = JSON.stringify(saved);
    await Promise.all([
      redis.set(`at:${token.accessToken}`, json, 'EX', ACCESS_TTL_SECONDS),
      redis.set(`rt:${token.refreshToken}`, json, 'EX', REFRESH_TTL_SECONDS),
    ]);
    return saved;
  },
};

function parse(json) {
  if (json === null) return null;
  const token = JSON.parse(json);
  for (const name of ['accessTokenExpiresAt', 'refreshTokenExpiresAt']) {
    token[name] = new Date(token[name]);
  }
  return token;
}

const oauth = new OAuthServer({
  model,
  accessTokenLifetime: ACCESS_TTL_SECONDS,
  refreshTokenLifetime: REFRESH_TTL_SECONDS,
});
const app = express();
app.post('/token', express.urlencoded({ extended: false }), oauth.token());
app.get('/hello', oauth.authenticate(), (_req, res) => res.json({ hello: 'world' }));
serve(app);
