import { type Auth, createAuth } from '@latchhook/core';
import { certifyAtRest, type SecretFlow } from '@latchhook/testkit';
import { Cluster, Redis } from 'ioredis';
import { generateSync } from 'otplib';
import { Pool } from 'pg';
import { afterAll, describe, inject, it } from 'vitest';
import { ISSUER, refreshSecret, signingKey } from '../support/apps/test-app.ts';
import { withRecoveryCodes } from '../support/clients/recovery-codes.ts';
import { GRACE_TOTP_SECRET, TEST_PASSWORD, testUsers } from '../support/clients/users.ts';
import { HAS_MYSQL } from '../support/servers/mysql-databases.ts';
import { mysqlStorageHarness } from '../support/storage/mysql-storage-harness.ts';
import { postgresStorageHarness } from '../support/storage/postgres-storage-harness.ts';
import { redisStorageHarness } from '../support/storage/redis-storage-harness.ts';
import { SQLITE_DRIVERS } from '../support/storage/sqlite-drivers.ts';
import { sqliteStorageHarness } from '../support/storage/sqlite-storage-harness.ts';

const RECOVERY_CODE = 'ABCD-EFGH-IJKL-MNOP';
/** A wrong password, which must not be stored either: it may be the user's password of another site. */
const WRONG_PASSWORD = 'wrong horse battery staple';

/** Brings the storage into every state, and resolves to every secret that client and server have exchanged. */
const useEverything: SecretFlow = async ({ storage, clock }) => {
  const auth = createAuth({
    issuer: ISSUER,
    environment: 'development',
    keys: { signing: signingKey, refreshSecrets: [refreshSecret] },
    users: withRecoveryCodes(await testUsers(), { grace: [RECOVERY_CODE] }),
    storage,
    clock,
    onSecurityEvent: () => {},
  });
  const secrets = [TEST_PASSWORD, WRONG_PASSWORD, GRACE_TOTP_SECRET, refreshSecret];
  secrets.push(RECOVERY_CODE, RECOVERY_CODE.replaceAll('-', ''));
  const post = async (path: string, fields: Readonly<Record<string, unknown>>) => {
    const body = await respond(auth, path, fields);
    for (const name of ['access_token', 'refresh_token', 'challenge']) {
      if (typeof body[name] === 'string') secrets.push(body[name], endOfToken(body[name]));
    }
    return body;
  };
  const logIn = (username: string, password = TEST_PASSWORD) =>
    post('/token', { username, password });

  const first = await logIn('ada@example.com');
  const refresh = { grant_type: 'refresh_token', refresh_token: first['refresh_token'] };
  const second = await post('/token', refresh);
  // The retry of a client that has lost the response.
  await post('/token', refresh);
  await post('/token', { ...refresh, refresh_token: second['refresh_token'] });
  await post('/token/revoke', { token: (await logIn('ada@example.com'))['refresh_token'] });
  await logIn('ada@example.com', WRONG_PASSWORD);

  const { challenge: pending } = await logIn('grace@example.com');
  await post('/token/challenge', { challenge: pending, code: '000000' });
  for (const code of [totp(clock.nowMs()), RECOVERY_CODE]) {
    const { challenge } = await logIn('grace@example.com');
    await post('/token/challenge', { challenge, code });
  }
  return secrets;
};

async function respond(
  auth: Auth,
  path: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const { body } = await auth.http.handle({
    method: 'POST',
    path,
    mountPath: '',
    query: '',
    headers: { 'content-type': 'application/json' },
    authorization: undefined,
    body: { kind: 'parsed', value: fields },
    remoteAddress: '192.0.2.1',
  });
  return body === '' ? {} : JSON.parse(body);
}

/** The end of a token, which is part of its signature or MAC: no storage may hold it. */
function endOfToken(token: string): string {
  return token.slice(-20);
}

function totp(nowMs: number): string {
  return generateSync({ secret: GRACE_TOTP_SECRET, epoch: Math.floor(nowMs / 1000) });
}

describe('a storage on Redis', () => {
  const url = inject('redisUrl');
  certifyAtRest(
    { describe, it },
    redisStorageHarness(() => new Redis(url)),
    useEverything,
  );
});

const nodes = inject('redisClusterNodes');

describe.skipIf(nodes.length === 0)('a storage on Redis Cluster', () => {
  certifyAtRest(
    { describe, it },
    redisStorageHarness(() => new Cluster([...nodes])),
    useEverything,
  );
});

const postgresUrl = inject('postgresUrl');

describe.skipIf(postgresUrl === null)('a storage on PostgreSQL', () => {
  const pool = new Pool({ connectionString: postgresUrl ?? '' });
  const harness = postgresStorageHarness(() => pool, pool);
  afterAll(() => pool.end());

  certifyAtRest({ describe, it }, harness, useEverything);
});

describe('a storage on SQLite', () => {
  certifyAtRest({ describe, it }, sqliteStorageHarness(SQLITE_DRIVERS), useEverything);
});

describe.skipIf(!HAS_MYSQL)('a storage on MySQL', () => {
  certifyAtRest({ describe, it }, mysqlStorageHarness, useEverything);
});
