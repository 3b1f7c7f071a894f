import type { TimedSecurityEvent } from '@latchhook/core';
import { redisStorage } from '@latchhook/redis';
import { assertHoldsNoSecrets, certifyAtRest } from '@latchhook/testkit';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { startTestApp } from '../support/apps/test-app.ts';
import { inspectDeep, watchOutput } from '../support/apps/watch-output.ts';
import { canarySecret, ENROLMENT, useSecrets } from '../support/clients/use-secrets.ts';
import { postgresDatabase } from '../support/servers/shared-database.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { watchRedis } from '../support/servers/watch-redis.ts';
import { isHere } from '../support/storage/cell-storage.ts';
import { postgresStorageHarness } from '../support/storage/postgres-storage-harness.ts';
import { redisStorageHarness } from '../support/storage/redis-storage-harness.ts';

const { connection } = postgresDatabase();

/** Storages whose contents the test can read. */
const AT_REST = [
  ['Redis', { isHere: true, harness: redisStorageHarness(() => new Redis(inject('redisUrl'))) }],
  [
    'PostgreSQL',
    {
      isHere: isHere('postgres'),
      harness: postgresStorageHarness(() => connection, connection),
    },
  ],
] as const;

function faultsOf(events: readonly TimedSecurityEvent[]): readonly TimedSecurityEvent[] {
  return events.filter(({ type }) => type === 'fault');
}

describe.each(['express', 'koa'] as const)('secrets of an app on %s', (framework) => {
  it('appear neither in the console, nor in events, nor in commands to Redis', async () => {
    const output = watchOutput();
    const commandsSeen = await watchRedis(inject('redisUrl'));

    const app = await startTestApp(
      { framework, storage: 'redis' },
      { auth: { ...ENROLMENT, throttle: {} } },
    );
    onTestFinished(() => app.stop());
    const secrets = await useSecrets(app);
    const received = (await commandsSeen()).flatMap(({ words }) => words).join('\n');
    expect(received).toContain(app.cellStorage.place);
    expect(app.events.length).toBeGreaterThan(10);
    expect(app.events.filter(({ type }) => type === 'factor.enrolled')).toHaveLength(1);
    assertHoldsNoSecrets(received, secrets);
    assertHoldsNoSecrets(inspectDeep(app.events), secrets);
    assertHoldsNoSecrets(output(), secrets);
  });

  it('do not appear in the errors of a Redis that is down', async () => {
    const output = watchOutput();
    const proxy = await startTcpProxy(inject('redisUrl'));
    onTestFinished(() => proxy.stop());
    const redis = new Redis(proxy.url, { maxRetriesPerRequest: 0, retryStrategy: () => 50 });
    redis.on('error', () => {});
    onTestFinished(() => redis.disconnect());

    const events: TimedSecurityEvent[] = [];
    const app = await startTestApp(
      { framework, storage: 'memory' },
      {
        auth: ENROLMENT,
        wrapStorage: (_storage, clock) =>
          redisStorage(redis, { clock, deadlineMs: 50, keyPrefix: canarySecret() }),
      },
    );
    onTestFinished(() => app.stop());
    app.auth.securityEvents.subscribe((event) => events.push(event));

    const secrets = [...(await useSecrets(app))];
    await proxy.dropReplies();
    secrets.push(...(await useSecrets(app)));
    await proxy.reject();
    secrets.push(...(await useSecrets(app)));

    expect(faultsOf(events).length).toBeGreaterThan(10);
    assertHoldsNoSecrets(inspectDeep(events), secrets);
    assertHoldsNoSecrets(output(), secrets);
  });

  it('do not appear in the errors of a user store that fails', async () => {
    const output = watchOutput();
    const app = await startTestApp(
      { framework, storage: 'memory' },
      {
        auth: ENROLMENT,
        userStore: (users) => ({
          ...users,
          findByUsername: () => Promise.reject(new Error('no database')),
        }),
      },
    );
    onTestFinished(() => app.stop());
    const secrets = await useSecrets(app);
    expect(faultsOf(app.events).length).toBeGreaterThan(0);
    assertHoldsNoSecrets(inspectDeep(app.events), secrets);
    assertHoldsNoSecrets(output(), secrets);
  });

  it.skipIf(!isHere('postgres'))('do not appear in queries to PostgreSQL', async () => {
    const query = vi.spyOn(Client.prototype, 'query');
    onTestFinished(() => query.mockRestore());
    const app = await startTestApp(
      { framework, storage: 'postgres' },
      { auth: { ...ENROLMENT, throttle: {} } },
    );
    onTestFinished(() => app.stop());
    const secrets = await useSecrets(app);
    const received = JSON.stringify(query.mock.calls);
    expect(received).toContain(app.cellStorage.place);
    assertHoldsNoSecrets(received, secrets);
  });

  describe.each(AT_REST)('at rest in %s', (_, { isHere, harness }) => {
    const run = { describe: describe.skipIf(!isHere), it };
    certifyAtRest(run, harness, async ({ storage }) => {
      const app = await startTestApp(
        { framework, storage: 'memory' },
        { auth: ENROLMENT, wrapStorage: () => storage },
      );
      onTestFinished(() => app.stop());
      return useSecrets(app);
    });
  });
});
