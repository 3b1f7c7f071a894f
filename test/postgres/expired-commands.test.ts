import { setTimeout as elapsed } from 'node:timers/promises';
import { StorageUnavailableError } from '@latchhook/core/storage';
import { postgresStorage } from '@latchhook/postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { claimOnce, completeAll, DELIVERED, EXHAUSTED } from '../redis/claim-samples.ts';
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp-proxy.ts';
import {
  ADA,
  AMPLE_LIMITS,
  ATTEMPT_LIMITS,
  newChallenge,
  newSession,
  rotateRequest,
} from '../support/storage/login-samples.ts';
import {
  expectSessionGoesOn,
  retryUntilAvailable,
} from '../support/storage/retry-until-available.ts';
import {
  deliveryTo,
  newMessage,
  register,
  withWebhooks,
} from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { holdLocks } from './hold-locks.ts';
import { connect, HAS_POSTGRES, openSchema, postgresUrl } from './open-schema.ts';

const deadlineMs = 100;
/** After the deadline and the slack of the guard, ms. */
const tooLateMs = 500;

async function startProxy(): Promise<TcpProxy> {
  const proxy = await startTcpProxy(postgresUrl());
  onTestFinished(() => proxy.stop());
  return proxy;
}

function throughProxy(proxy: TcpProxy): string {
  const url = new URL(postgresUrl());
  url.port = String(proxy.port);
  url.hostname = '127.0.0.1';
  return url.href;
}

describe.skipIf(!HAS_POSTGRES)('a statement whose call timed out', () => {
  it('has no effect if the network delivers it late', async () => {
    const schema = await openSchema();
    const pool = connect();
    const direct = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    const proxy = await startProxy();
    const options = { schema, deadlineMs };
    const delayed = connect(throughProxy(proxy));
    const { sessions, challenges } = postgresStorage(delayed, options);
    await direct.sessions.create(newSession('s1'), AMPLE_LIMITS);
    await direct.challenges.create(newChallenge('c1'));
    // Opens the connections, so that the proxy holds back only statements.
    await Promise.all(Array.from({ length: 6 }, () => delayed.query('SELECT pg_sleep(0.05)')));
    await retryUntilAvailable(() => sessions.list(ADA));

    await proxy.blackhole();
    const results = await Promise.allSettled([
      sessions.rotate(rotateRequest(1)),
      sessions.create(newSession('s2'), AMPLE_LIMITS),
      sessions.revoke(newSession('s1')),
      sessions.revokeAll(ADA),
      sessions.revokeOthers({ userId: ADA, sessionId: 's0' }),
      challenges.reserveAttempt(newChallenge('c1'), ATTEMPT_LIMITS),
    ]);
    expectUnavailable(results);
    await elapsed(tooLateMs);
    const before = await transactionsOf(pool);
    await proxy.pass();
    await expect.poll(() => transactionsOf(pool)).toBeGreaterThan(before);
    await elapsed(100);

    expect(await direct.sessions.list(ADA)).toMatchObject([{ sessionId: 's1', generation: 1 }]);
    expect(
      await direct.challenges.reserveAttempt(newChallenge('c1'), ATTEMPT_LIMITS),
    ).toMatchObject({
      attemptsRemaining: ATTEMPT_LIMITS.perChallenge - 1,
    });
    await expectSessionGoesOn(sessions);
  });

  it('has no effect if it waited too long for a lock', async () => {
    const schema = await openSchema();
    const pool = connect();
    const direct = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    const { sessions, challenges } = postgresStorage(pool, { schema, deadlineMs });
    await direct.sessions.create(newSession('s1'), AMPLE_LIMITS);
    await retryUntilAvailable(() => sessions.list(ADA));

    const release = await hold(
      schema,
      `SELECT FROM ${schema}.users FOR UPDATE; SELECT FROM ${schema}.sessions FOR UPDATE`,
    );
    const results = await Promise.allSettled([
      sessions.rotate(rotateRequest(1)),
      sessions.create(newSession('s2'), AMPLE_LIMITS),
      sessions.revoke(newSession('s1')),
      sessions.revokeAll(ADA),
      challenges.create(newChallenge('c1')),
    ]);
    expectUnavailable(results);
    await release();

    expect(await direct.sessions.list(ADA)).toMatchObject([{ sessionId: 's1', generation: 1 }]);
    expect(await direct.challenges.reserveAttempt(newChallenge('c1'), ATTEMPT_LIMITS)).toEqual({
      outcome: 'gone',
    });
    await expectSessionGoesOn(sessions);
  });

  it('has no effect on deliveries if it waited too long for a lock', async () => {
    const schema = await openSchema();
    const pool = connect();
    const direct = withWebhooks(postgresStorage(pool, { schema, deadlineMs: PATIENT_MS }));
    const late = withWebhooks(postgresStorage(pool, { schema, deadlineMs }));
    const webhook = await register(direct.webhooks, 'wh_1');
    for (const id of ['m0', 'm1', 'm2']) await direct.deliveries.publish(newMessage(id));
    const failed = await claimOnce(direct.deliveries, { limit: 1 });
    await completeAll(direct.deliveries, failed.attempts, EXHAUSTED);
    const { attempts } = await claimOnce(direct.deliveries, { limit: 1 });
    await retryUntilAvailable(() => late.webhooks.find(webhook));

    const release = await hold(
      schema,
      `SET LOCAL search_path = ${schema}; SELECT lock_account('${webhook.accountId}');
       SELECT FROM leases FOR UPDATE;
       LOCK TABLE messages IN SHARE MODE`,
    );
    const results = await Promise.allSettled([
      late.deliveries.publish(newMessage('m3')),
      completeAll(late.deliveries, attempts, DELIVERED),
      late.deliveries.redeliver(deliveryTo('wh_1', 'm0')),
      late.deliveries.redeliverFailed(webhook, { sinceMs: 0, limit: 10 }),
      late.webhooks.remove(webhook),
    ]);
    expectUnavailable(results);
    await release();
    // A claim waits for no account, so its leases are locked.
    const releaseLeases = await hold(schema, `LOCK TABLE ${schema}.leases IN SHARE MODE`);
    expectUnavailable(await Promise.allSettled([claimOnce(late.deliveries)]));
    await releaseLeases();

    const list = await direct.deliveries.list(webhook, { limit: 10, after: null });
    expect(list).toMatchObject([
      { deliveryId: 'm2', state: 'queued' },
      { deliveryId: 'm1', state: 'sending' },
      { deliveryId: 'm0', state: 'dead' },
    ]);
  });

  it('leases no attempt if the claim itself takes too long', async () => {
    const schema = await openSchema();
    const pool = connect();
    const direct = withWebhooks(postgresStorage(pool, { schema, deadlineMs: PATIENT_MS }));
    const late = withWebhooks(postgresStorage(pool, { schema, deadlineMs }));
    const webhook = await register(direct.webhooks, 'wh_1');
    await direct.deliveries.publish(newMessage('m1'));
    await retryUntilAvailable(() => late.webhooks.find(webhook));
    await pool.query(`SET search_path = ${schema};
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(${tooLateMs / 1000}); RETURN NEW; END';
      CREATE TRIGGER wait BEFORE INSERT ON leases EXECUTE FUNCTION wait();
      RESET search_path`);
    expectUnavailable(await Promise.allSettled([claimOnce(late.deliveries)]));
    await expect.poll(() => pendingCalls(pool, schema)).toBe(0);
    await pool.query(`DROP TRIGGER wait ON ${schema}.leases`);
    const { attempts } = await claimOnce(direct.deliveries);
    expect(attempts).toMatchObject([{ deliveryId: 'm1', attempt: 1 }]);
  });

  it('has no effect if it could lock its rows but not write them in time', async () => {
    const schema = await openSchema();
    const pool = connect();
    const direct = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    const { sessions } = postgresStorage(pool, { schema, deadlineMs });
    await direct.sessions.create(newSession('s1'), AMPLE_LIMITS);
    await retryUntilAvailable(() => sessions.list(ADA));
    // `CREATE INDEX` takes this lock, too.
    const release = await hold(
      schema,
      `LOCK TABLE ${schema}.sessions, ${schema}.users IN SHARE MODE`,
    );
    const results = await Promise.allSettled([
      sessions.rotate(rotateRequest(1)),
      sessions.create(newSession('s2'), AMPLE_LIMITS),
      sessions.revoke(newSession('s1')),
      sessions.revokeAll(ADA),
    ]);
    expectUnavailable(results);
    await release();
    expect(await direct.sessions.list(ADA)).toMatchObject([{ sessionId: 's1', generation: 1 }]);
    await expectSessionGoesOn(sessions);
  });

  it('has no effect even if the storage has an injected clock', async () => {
    const schema = await openSchema();
    const pool = connect();
    const clock = { nowMs: () => 1_000_000 };
    const direct = postgresStorage(pool, { schema, clock, deadlineMs: PATIENT_MS });
    const { sessions } = postgresStorage(pool, { schema, clock, deadlineMs });
    await direct.sessions.create(newSession('s1'), AMPLE_LIMITS);
    await retryUntilAvailable(() => sessions.list(ADA));
    const release = await hold(schema, `SELECT FROM ${schema}.sessions FOR UPDATE`);
    await expect(sessions.rotate(rotateRequest(1))).rejects.toThrow(StorageUnavailableError);
    await release();
    expect(await direct.sessions.list(ADA)).toMatchObject([{ generation: 1 }]);
  });

  it('takes effect if only the reply was lost, and a retry gets the same result', async () => {
    const schema = await openSchema();
    const proxy = await startProxy();
    const pool = connect(throughProxy(proxy));
    const { sessions } = postgresStorage(pool, { schema, deadlineMs });
    await postgresStorage(connect(), { schema, deadlineMs: PATIENT_MS }).sessions.create(
      newSession('s1'),
      AMPLE_LIMITS,
    );
    await retryUntilAvailable(() => sessions.list(ADA));
    await proxy.dropReplies();
    await expect(sessions.rotate(rotateRequest(1))).rejects.toThrow(StorageUnavailableError);
    await proxy.pass();
    await expect
      .poll(() => sessions.rotate(rotateRequest(1)).catch(() => null))
      .toMatchObject({ outcome: 'replayed', session: { generation: 2 } });
  });
});

/** Holds locks until all calls that wait for them have expired. */
async function hold(schema: string, locks: string): Promise<() => Promise<void>> {
  const pool = connect();
  const release = await holdLocks(locks);
  return async () => {
    await elapsed(tooLateMs);
    // A waiting backend does not notice that its connection is closed, so abandoned backends would pile up.
    await expect.poll(() => pendingCalls(pool, schema)).toBe(0);
    await release();
  };
}

function expectUnavailable(results: readonly PromiseSettledResult<unknown>[]): void {
  for (const call of results) {
    expect(call).toMatchObject({ reason: expect.any(StorageUnavailableError) });
  }
}

interface Queries {
  query(text: string): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

/** The number of transactions that the server has rolled back so far. */
async function transactionsOf(pool: Queries): Promise<number> {
  const { rows } = await pool.query(
    'SELECT xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]?.['n']);
}

async function pendingCalls(pool: Queries, schema: string): Promise<number> {
  const { rows } = await pool.query(
    `SELECT count(*) AS n FROM pg_stat_activity
     WHERE state = 'active' AND query LIKE '%${schema}%' AND pid <> pg_backend_pid()`,
  );
  return Number(rows[0]?.['n']);
}
