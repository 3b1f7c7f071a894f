import { type RedisStorageOptions, redisStorage } from '@latchhook/redis';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADVISED_REDIS_OPTIONS } from '../support/servers/advised-redis-options.ts';
import {
  type RedisConfig,
  type RedisServer,
  startRedisServer,
} from '../support/servers/redis-server.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { connect } from '../support/storage/connect-redis.ts';
import {
  credentialStores,
  EVERY_MINUTE,
  enrol,
  newToken,
} from '../support/storage/credential-samples.ts';
import { ADA, AMPLE_LIMITS, newSession, rotateRequest } from '../support/storage/login-samples.ts';
import {
  LIMITS,
  newMessage,
  newWebhook,
  withWebhooks,
} from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const SESSION = newSession('s1');
const TOKEN = 'hash of t1';

async function startServer(config: RedisConfig = {}): Promise<RedisServer> {
  const server = await startRedisServer({ config });
  onTestFinished(() => server.stop());
  return server;
}

function storesOf(url: string, options: Pick<RedisStorageOptions, 'clock'> = {}) {
  const redis = connect(url, ADVISED_REDIS_OPTIONS);
  const { sessions } = redisStorage(redis, { deadlineMs: PATIENT_MS, ...options });
  return { redis, sessions, ...credentialStores(redis, options) };
}

/**
 * A master that is demoted while its clients stay connected. Its name now leads to its former replica, where a session
 * and a token were revoked. The demoted master cannot replicate yet, so there both are still live.
 */
async function fixture() {
  const old = await startServer({ 'repl-diskless-sync-delay': '0' });
  const successor = await startServer({ replicaof: `${old.host} ${old.port}` });
  const proxy = await startTcpProxy(old.url);
  onTestFinished(() => proxy.stop());
  const app = storesOf(proxy.url);
  await app.sessions.create(SESSION, AMPLE_LIMITS);
  await app.tokens.create(newToken('t1'), AMPLE_LIMITS);
  await enrol(app.mfa);
  // This use is recorded, so the next use writes nothing.
  await app.tokens.use(TOKEN, EVERY_MINUTE);
  expect(await app.sessions.isLive(SESSION)).toBe(true);
  expect(await app.redis.wait(1, PATIENT_MS)).toBe(1);

  const { redis, sessions, tokens } = storesOf(successor.url);
  await redis.replicaof('NO', 'ONE');
  await connect(old.url).replicaof('127.0.0.1', 1);
  proxy.redirect(successor.url);
  await sessions.revokeAll(ADA);
  await tokens.revokeAll(ADA);
  return app;
}

type App = Awaited<ReturnType<typeof fixture>>;

const READS: readonly (readonly [what: string, read: (app: App) => Promise<unknown>])[] = [
  ['a liveness check', ({ sessions }) => sessions.isLive(SESSION)],
  [
    'a refresh of an unknown session',
    ({ sessions }) => sessions.rotate(rotateRequest(1, { sessionId: 's2' })),
  ],
  ['a list of sessions', ({ sessions }) => sessions.list(ADA)],
  ['the use of a token', ({ tokens }) => tokens.use(TOKEN, EVERY_MINUTE)],
  ['a list of tokens', ({ tokens }) => tokens.list(ADA, { limit: 100, after: null })],
  [
    'a revocation of an unknown token',
    ({ tokens }) => tokens.revoke({ userId: ADA, tokenId: 't2' }),
  ],
  ['a revocation by an unknown hash', ({ tokens }) => tokens.revokeByHash('hash of t2')],
  ['a revocation of all tokens of a user without any', ({ tokens }) => tokens.revokeAll('bob')],
  ['a look-up of a factor', ({ mfa }) => mfa.find(ADA)],
];

describe('a demoted Redis master', () => {
  it.each(READS)('rejects %s with READONLY', async (_, read) => {
    const app = await fixture();
    await expect(read(app)).rejects.toThrow(/READONLY/);
  });

  it('makes a client with the advised options connect to the new master, which has the revocations', async () => {
    const { sessions, tokens } = await fixture();
    await expect(sessions.isLive(SESSION)).rejects.toThrow(/READONLY/);
    await expect.poll(() => sessions.isLive(SESSION).catch(() => 'unavailable')).toBe(false);
    expect(await tokens.use(TOKEN, EVERY_MINUTE)).toBeNull();
  });
});

describe('a Redis master below min-replicas-to-write', () => {
  it('still executes commands that only read', async () => {
    const server = await startServer();
    const clock = turnableClock();
    const { redis, sessions, tokens, mfa } = storesOf(server.url, { clock });
    await sessions.create(SESSION, AMPLE_LIMITS);
    await tokens.create(newToken('t1'), AMPLE_LIMITS);
    await tokens.create(newToken('expired', { ttlMs: 1 }), AMPLE_LIMITS);
    const webhook = newWebhook('wh_1');
    const { webhooks, deliveries } = withWebhooks(redisStorage(redis, { clock }));
    await webhooks.create(webhook, LIMITS);
    await deliveries.publish(newMessage('expired', { retentionMs: 1 }));
    clock.advance(1);
    await enrol(mfa);
    await tokens.use(TOKEN, EVERY_MINUTE);
    await redis.config('SET', 'min-replicas-to-write', '1');
    expect(await sessions.isLive(SESSION)).toBe(true);
    expect(await sessions.list(ADA)).toHaveLength(1);
    expect(await tokens.list(ADA, { limit: 100, after: null })).toHaveLength(1);
    expect(await tokens.use(TOKEN, EVERY_MINUTE)).toMatchObject({ tokenId: 't1' });
    // This use is to be recorded, which fails.
    expect(await tokens.use(TOKEN, { touchEveryMs: 0 })).toMatchObject({ tokenId: 't1' });
    expect(await mfa.find(ADA)).toMatchObject({ enrolmentId: 'e1' });
    expect(await deliveries.list(webhook, { limit: 10, after: null })).toEqual([]);
  });
});
