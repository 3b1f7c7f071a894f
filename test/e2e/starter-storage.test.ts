import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { type AppClient, connectApp, tokensOf } from '../support/apps/app-client.ts';
import { type SpawnedApp, spawnApp } from '../support/apps/spawn-app.ts';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { findPostgresServer } from '../support/servers/find-postgres-server.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startPostgresServer } from '../support/servers/postgres-server.ts';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { temporaryFolder } from '../support/servers/temporary-folder.ts';

type Settings = Readonly<Record<string, string>>;

interface Started {
  readonly app: SpawnedApp;
  readonly client: AppClient;
}

/** The result of a start: an app, or what it printed before it ended. */
type Start = { readonly app: SpawnedApp } | { readonly refusal: string };

/** Shared by processes that accept each other's tokens. */
const ISSUER = 'http://127.0.0.1:3000';
/** A URL at which nothing listens. */
const NOWHERE = 'http://127.0.0.1:1/hooks';

async function start(name: string, settings: Settings): Promise<Started> {
  const app = await spawnApp(name, { env: { ISSUER, ...settings } });
  onTestFinished(() => app.kill9());
  const client = connectApp(app.url);
  onTestFinished(() => client.close());
  return { app, client };
}

async function tryStart(settings: Settings): Promise<Start> {
  try {
    return { app: (await start('express-starter', settings)).app };
  } catch (error) {
    if (!(error instanceof Error) || !(error.cause instanceof Error)) throw error;
    return { refusal: error.cause.message };
  }
}

function appsOf(starts: readonly Start[]): readonly SpawnedApp[] {
  return starts.flatMap((started) => ('app' in started ? [started.app] : []));
}

function refusalsOf(starts: readonly Start[]): readonly string[] {
  return starts.flatMap((started) => ('refusal' in started ? [started.refusal] : []));
}

/** A folder with a database. It is copied, as making one takes the most time of all. */
async function openFolder(): Promise<Settings> {
  const folder = join(await temporaryFolder(), 'data');
  await cp(madeFolder, folder, { recursive: true });
  return { DATA_DIR: folder };
}

async function openNewFolder(): Promise<Settings> {
  return { DATA_DIR: join(await temporaryFolder(), 'data') };
}

let madeFolder: string;
beforeAll(async () => {
  madeFolder = await mkdtemp(join(tmpdir(), 'latchhook-data-'));
  const pglite = await PGlite.create(join(madeFolder, 'pglite'));
  await pglite.close();
});
afterAll(() => rm(madeFolder, { recursive: true }));

async function openDatabase(): Promise<Settings> {
  const programs = await findPostgresServer();
  if (programs === undefined) throw new Error('no PostgreSQL, although the run has one');
  const server = await startPostgresServer(programs);
  onTestFinished(() => server.stop());
  return { DATABASE_URL: server.url };
}

async function publish(client: AppClient, nth: number): Promise<string> {
  const json = { event: 'Contact.Added', account_id: 1, data: { nth } };
  const { status, body } = await client.send('POST', '/demo/events', { json });
  expect([status, body['deliveries']]).toEqual([202, 1]);
  return String(body['id']);
}

const places = [
  { place: 'a folder', name: 'express-starter', open: openFolder, isThere: true },
  {
    place: 'PostgreSQL',
    name: 'koa-starter',
    open: openDatabase,
    isThere: inject('postgresUrl') !== null,
  },
];

it('closes its folder once, though it gets two signals to end', async () => {
  const { app } = await start('koa-starter', await openFolder());
  process.kill(app.processId, 'SIGINT');
  await app.stop();
  expect(app.output()).not.toContain('PGlite is closed');
});

for (const { place, name, open, isThere } of places) {
  describe.runIf(isThere)(`the ${name}, on ${place}`, () => {
    it('keeps logins, tokens, factors and webhooks across kill -9 and SIGTERM', async () => {
      const settings = await open();
      const before = await start(name, settings);
      const session = tokensOf(await before.client.login('alan@example.com'));
      const ended = tokensOf(await before.client.login('ada@example.com', { scopes: 'admin' }));
      await before.client.revoke(ended.refreshToken);
      const login = await before.client.login('ada@example.com', { scopes: 'user,auth' });
      const bearer = tokensOf(login).accessToken;
      const post = (path: string, json: object) =>
        before.client.send('POST', path, { bearer, json });
      const pat = await post('/users/self/pats', {
        name: 'export',
        scopes: ['user'],
        expiration_seconds: 3600,
      });
      const webhook = await post('/webhooks', { event: 'Contact.Added', url: NOWHERE });
      const begun = await post('/users/self/mfa/totp', {});
      const code = generateSync({ secret: String(begun.body['secret']) });
      const enrolled = await post('/users/self/mfa/totp/confirm', { code });
      const [recoveryCode = ''] = enrolled.body['recovery_codes'] as readonly string[];

      await before.app.kill9();
      const { app, client } = await start(name, settings);
      expect((await client.me(session.accessToken)).status).toBe(200);
      expect((await client.refresh(session.refreshToken)).status).toBe(200);
      expect((await client.adminReport(ended.accessToken)).status).toBe(401);
      expect((await client.refresh(ended.refreshToken)).status).toBe(400);
      expect((await client.me(String(pat.body['token']))).body).toMatchObject({ user: 'ada' });
      const kept = await client.send('GET', `/webhooks/${webhook.body['id']}`, { bearer });
      expect(kept.body['data']).toMatchObject({ event: 'Contact.Added', url: NOWHERE });
      const pending = await client.login('ada@example.com');
      expect(pending.body['error']).toBe('mfa_required');
      tokensOf(await client.answerChallenge(String(pending.body['challenge']), recoveryCode));

      await app.stop();
      const { client: again } = await start(name, settings);
      expect((await again.me(session.accessToken)).status).toBe(200);
      const used = await again.login('ada@example.com');
      const answer = await again.answerChallenge(String(used.body['challenge']), recoveryCode);
      expect(answer.body['error']).toBe('invalid_grant');
    });

    it('sends deliveries that waited for a receiver after kill -9, under the same id', async () => {
      const settings = await open();
      const before = await start(name, settings);
      const { accessToken: bearer } = tokensOf(await before.client.login('ada@example.com'));
      const receiver = await startCountingReceiver();
      const webhook = await before.client.send('POST', '/webhooks', {
        bearer,
        json: { event: 'Contact.Added', url: NOWHERE },
      });
      const published = await publish(before.client, 1);
      const path = `/webhooks/${webhook.body['id']}`;
      const failedAttempts = async () => {
        const { body } = await before.client.send('GET', `${path}/deliveries`, { bearer });
        const [delivery] = body['data'] as readonly { readonly attempts: readonly unknown[] }[];
        return delivery?.attempts.length;
      };
      await expect.poll(failedAttempts).toBe(1);
      await before.client.send('PATCH', path, { bearer, json: { url: receiver.url } });
      await before.app.kill9();
      expect(receiver.arrivals.size).toBe(0);

      await start(name, settings);
      await receiver.untilDistinct(1);
      expect([...receiver.arrivals.keys()]).toEqual([published]);
    });
  });
}

describe('a folder', () => {
  it('belongs to one of two that start at once, even if the one before was killed', async () => {
    const settings = await openFolder();
    const first = await Promise.all([tryStart(settings), tryStart(settings)]);
    const [winner] = appsOf(first);
    expect(appsOf(first)).toHaveLength(1);
    const [refusal] = refusalsOf(first);
    expect(refusal).toContain('ended with 1 ');
    expect(refusal).toContain(`${settings['DATA_DIR']} is in use by process ${winner?.processId}`);

    const client = connectApp(winner?.url ?? '');
    onTestFinished(() => client.close());
    const session = tokensOf(await client.login('alan@example.com'));
    await winner?.kill9();
    const second = await Promise.all([tryStart(settings), tryStart(settings)]);
    const [successor] = appsOf(second);
    expect([appsOf(second).length, refusalsOf(second).length]).toEqual([1, 1]);
    const after = connectApp(successor?.url ?? '');
    onTestFinished(() => after.close());
    expect((await after.me(session.accessToken)).status).toBe(200);
  });

  it('begins again if the process that was making its database was killed', async () => {
    const settings = await openNewFolder();
    const database = join(settings['DATA_DIR'] ?? '', 'pglite');
    const starting = tryStart(settings);
    await expect.poll(() => existsSync(`${database}.draft`), { interval: 5 }).toBe(true);
    const [, maker] = /^(\d+) /.exec(await readFile(join(database, '..', 'lock.1'), 'utf8')) ?? [];
    process.kill(Number(maker), 'SIGKILL');
    expect(refusalsOf([await starting])).toEqual([expect.stringContaining('ended with SIGKILL')]);
    expect(existsSync(database)).toBe(false);

    const { client } = await start('express-starter', settings);
    tokensOf(await client.login('alan@example.com'));
  });
});

describe('without a setting', () => {
  it('keeps nothing if the port is any free one, and runs beside others', async () => {
    const none = { DATA_DIR: '' };
    const apps = appsOf(await Promise.all([tryStart(none), tryStart(none)]));
    expect(apps.map((app) => /^storage: (.+),/m.exec(app.output())?.[1])).toEqual(
      Array(2).fill('memory (the memory of this process)'),
    );
  });

  it('keeps everything in a folder of its port, if it has a fixed one', async () => {
    const port = await freePort();
    const folder = fileURLToPath(
      new URL(`../../examples/demo/.latchhook/data/${port}`, import.meta.url),
    );
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const settings = { DATA_DIR: '', PORT: String(port) };
    const before = await start('express-starter', settings);
    const session = tokensOf(await before.client.login('alan@example.com'));
    await before.app.kill9();
    const { app, client } = await start('express-starter', settings);
    expect(app.output()).toContain(`PGlite in ${folder}`);
    expect((await client.me(session.accessToken)).status).toBe(200);
  });
});

describe('with Redis for logins', () => {
  it('keeps in a folder what should outlast the Redis', async () => {
    const redis = await startRedisServer();
    onTestFinished(() => redis.stop());
    const settings = { ...(await openFolder()), REDIS_URL: redis.url };
    const before = await start('koa-starter', settings);
    const session = tokensOf(await before.client.login('ada@example.com'));
    const bearer = session.accessToken;
    const webhook = await before.client.send('POST', '/webhooks', {
      bearer,
      json: { event: 'Contact.Added', url: NOWHERE },
    });
    await before.app.kill9();

    const { client } = await start('koa-starter', settings);
    expect((await client.refresh(session.refreshToken)).status).toBe(200);
    // This Redis keeps nothing on disk.
    await redis.restart();
    const refreshed = async () => (await client.refresh(session.refreshToken)).status;
    await expect.poll(refreshed).toBe(400);
    const again = tokensOf(await client.login('ada@example.com')).accessToken;
    const path = `/webhooks/${webhook.body['id']}`;
    expect((await client.send('GET', path, { bearer: again })).status).toBe(200);
    const receiver = await startCountingReceiver();
    await client.send('PATCH', path, { bearer: again, json: { url: receiver.url } });
    await publish(client, 1);
    await receiver.untilDistinct(1);
  });
});

describe('settings that contradict each other', () => {
  const settings = {
    DATA_DIR: 'memory',
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    REDIS_URL: 'redis://127.0.0.1:1',
  };

  it.each([
    ['DATA_DIR', 'DATABASE_URL'],
    ['DATA_DIR', 'REDIS_URL'],
  ] as const)('are refused: %s and %s', async (one, other) => {
    const started = await tryStart({ [one]: settings[one], [other]: settings[other] });
    expect(refusalsOf([started])).toEqual([
      expect.stringMatching(new RegExp(`ended with 1 [^]*${one}\\S* and ${other} contradict`)),
    ]);
  });
});

it('refuses an ISSUER that cannot be one, in one line, and closes its folder', async () => {
  const settings = await openFolder();
  const [refusal] = refusalsOf([await tryStart({ ...settings, ISSUER: 'api.example.com' })]);
  expect(refusal).toMatch(
    /ended with 1 .*\nThe issuer would be "api.example.com". Set ISSUER.*\n$/,
  );
  expect(appsOf([await tryStart(settings)])).toHaveLength(1);
});
