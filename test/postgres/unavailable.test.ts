import { StorageUnavailableError } from '@latchhook/core/storage';
import { migrate, postgresStorage } from '@latchhook/postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findPostgresServer } from '../support/servers/find-postgres-server.ts';
import { startPostgresServer } from '../support/servers/postgres-server.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { ADA, AMPLE_LIMITS, newSession, rotateRequest } from '../support/storage/login-samples.ts';
import {
  expectSessionGoesOn,
  retryUntilAvailable,
} from '../support/storage/retry-until-available.ts';
import { within } from '../support/time/own-time.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, HAS_POSTGRES, openSchema, postgresUrl } from './open-schema.ts';

const programs = await findPostgresServer();

describe.skipIf(!HAS_POSTGRES)('postgresStorage with an unreachable PostgreSQL', () => {
  it('rejects at its deadline, and drops the connections that do not respond', async () => {
    const schema = await openSchema();
    const proxy = await startTcpProxy(postgresUrl());
    onTestFinished(() => proxy.stop());
    const url = new URL(postgresUrl());
    url.port = String(proxy.port);
    const pool = connect(url.href, { max: 2 });
    const { sessions, limiters } = postgresStorage(pool, { schema, deadlineMs: 100 });
    const limiter = limiters?.({ keyPrefix: 'failures', duration: 60 });
    await postgresStorage(connect(), { schema, deadlineMs: PATIENT_MS }).sessions.create(
      newSession('s1'),
      AMPLE_LIMITS,
    );
    await retryUntilAvailable(() => sessions.list(ADA));
    await retryUntilAvailable(async () => limiter?.penalty('ada'));

    await proxy.blackhole();
    const calls = [sessions.rotate(rotateRequest(1)), sessions.list(ADA), limiter?.penalty('ada')];
    for (const call of await within(1_000, Promise.allSettled(calls))) {
      expect(call).toMatchObject({ reason: expect.any(StorageUnavailableError) });
    }
    await proxy.pass();
    await within(2_000, expectSessionGoesOn(sessions));
  });

  it('rejects at its deadline if the pool of the host has no free connection', async () => {
    const schema = await openSchema();
    const pool = connect(undefined, { max: 1 });
    const { sessions } = postgresStorage(pool, { schema, deadlineMs: 100 });
    await postgresStorage(pool, { schema, deadlineMs: PATIENT_MS }).sessions.create(
      newSession('s1'),
      AMPLE_LIMITS,
    );
    const inUse = await pool.connect();
    await expect(sessions.rotate(rotateRequest(1))).rejects.toThrow(/within 100 ms/);
    inUse.release();
    await expectSessionGoesOn(sessions);
  });

  it('puts no argument into the message or the cause of an error', async () => {
    const schema = await openSchema();
    const pool = connect();
    const { sessions } = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    await pool.query(`ALTER TABLE ${schema}.sessions ADD CHECK (generation > 1)`);
    const error: unknown = await sessions
      .create(newSession('s1', { userAgent: 'canary' }), AMPLE_LIMITS)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StorageUnavailableError);
    const errorText = JSON.stringify(error, (_, value: unknown) =>
      value instanceof Error
        ? Object.fromEntries(
            Object.getOwnPropertyNames(value).map((name) => [name, Reflect.get(value, name)]),
          )
        : value,
    );
    expect(errorText).toContain('violates check constraint');
    expect(errorText).not.toMatch(/canary|user-ada/);
  });

  it('rejects an isolation level other than READ COMMITTED', async () => {
    const schema = await openSchema();
    const pool = connect(undefined, {
      options: '-c default_transaction_isolation=serializable',
    });
    const { sessions } = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    await expect(sessions.create(newSession('s1'), AMPLE_LIMITS)).rejects.toThrow(/READ COMMITTED/);
  });

  it('rejects reads from a standby', async () => {
    const schema = await openSchema();
    // On a standby every transaction is read-only.
    const pool = connect(undefined, { options: '-c default_transaction_read_only=on' });
    const { sessions, mfa } = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    const calls = [
      () => sessions.isLive(newSession('s1')),
      () => sessions.list(ADA),
      () => mfa.find(ADA),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow(/needs the primary/);
  });

  it.skipIf(programs === undefined)('recovers without loss once the server is back', async () => {
    if (programs === undefined) return;
    const server = await startPostgresServer(programs, { config: { fsync: 'on' } });
    onTestFinished(() => server.stop());
    const pool = connect(server.url);
    await migrate(pool);
    const { sessions } = postgresStorage(pool, { deadlineMs: 500 });
    const patient = postgresStorage(pool, { deadlineMs: PATIENT_MS }).sessions;
    await patient.create(newSession('s1'), AMPLE_LIMITS);
    await patient.rotate(rotateRequest(1));
    await server.kill9();
    await expect(sessions.rotate(rotateRequest(2))).rejects.toThrow(StorageUnavailableError);
    await server.restart();
    const again = expect
      .poll(() => sessions.rotate(rotateRequest(2)))
      .toMatchObject({ session: { generation: 3 } });
    await within(5_000, Promise.resolve(again));
  });
});
