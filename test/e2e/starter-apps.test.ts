import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { type AppClient, connectApp, tokensOf } from '../support/apps/app-client.ts';
import { type SpawnedApp, spawnApp } from '../support/apps/spawn-app.ts';
import { ISSUER, type Settings, startApp } from '../support/apps/start-app.ts';
import { GRACE_TOTP_SECRET } from '../support/clients/users.ts';
import { STARTERS } from '../support/every-cell.ts';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { temporaryFolder } from '../support/servers/temporary-folder.ts';
import { within } from '../support/time/own-time.ts';

describe.each(STARTERS)('%s', (name) => {
  const start = (env: Settings = {}) => startApp(name, env);
  let app: SpawnedApp;
  let client: AppClient;
  /** An app without settings, for tests that leave no trace in it. */
  beforeAll(async () => {
    app = await spawnApp(name);
    client = connectApp(app.url);
  });
  afterAll(async () => {
    client.close();
    await app.kill9();
  });

  function redisEnv(): Settings {
    return { REDIS_URL: inject('redisUrl'), ISSUER, LOGIN_THROTTLE: 'off' };
  }

  it('logs in the demo users with the documented accounts and scopes', async () => {
    const allScopes = 'user,admin,internal,auth';
    const ada = await client.login('ada@example.com', { scopes: allScopes });
    expect(ada.body).toMatchObject({ accounts: [1, 2], scope: 'user admin internal auth' });
    const alan = await client.login('alan@example.com');
    expect(alan.body).toMatchObject({ accounts: [3], scope: 'user' });
    expect((await client.login('alan@example.com', { scopes: 'admin' })).body).toMatchObject({
      error: 'invalid_scope',
    });
    const grace = await client.login('grace@example.com', { scopes: 'user,admin,auth' });
    expect([grace.status, grace.body['error']]).toEqual([401, 'mfa_required']);
    const unentitled = await client.login('grace@example.com', { scopes: 'internal' });
    expect(unentitled.body['error']).toBe('invalid_scope');
    const kurt = await client.login('kurt@example.com');
    expect([kurt.status, kurt.body['error']]).toEqual([400, 'invalid_grant']);
    expect((await client.login('nobody@example.com')).body).toEqual(kurt.body);
  });

  it('prints the demo users, and serves a login page under a strict Content-Security-Policy', async () => {
    expect(app.output()).toContain('ada@example.com, alan@example.com or grace@example.com');
    expect(app.output()).toContain('correct horse battery staple');
    const types = { '/': 'text/html', '/style.css': 'text/css', '/main.js': 'text/javascript' };
    for (const [path, type] of Object.entries(types)) {
      const { status, headers } = await fetch(app.url + path);
      expect([status, headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
      const policy = headers.get('content-security-policy');
      expect(policy).toMatch(/^default-src 'none'; .*form-action 'self'; .*frame-ancestors 'none'/);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
    }
  });

  it('accepts the TOTP and the recovery codes of the demo user Grace', async () => {
    const codes = [
      generateSync({ secret: GRACE_TOTP_SECRET }),
      'DEMO-CODE-AAAA-2222',
      'demo-code-bbbb-3333',
    ];
    for (const code of codes) {
      const { body } = await client.login('grace@example.com');
      const answer = await client.answerChallenge(String(body['challenge']), code);
      expect(answer.body).toMatchObject({ accounts: [2], scope: 'user' });
    }
  });

  it('enrols a factor for the demo user Ada, which the next login asks for', async () => {
    const { client } = await start();
    const login = tokensOf(await client.login('ada@example.com', { scopes: 'auth' }));
    const bearer = login.accessToken;
    const { body: begun } = await client.send('POST', '/users/self/mfa/totp', { bearer });
    expect(begun['otpauth_uri']).toContain('/Latchhook%20demo:ada%40example.com?');
    const json = { code: generateSync({ secret: String(begun['secret']) }) };
    const path = '/users/self/mfa/totp/confirm';
    const { body: enrolled } = await client.send('POST', path, { bearer, json });
    const [code] = enrolled['recovery_codes'] as readonly string[];
    const { body } = await client.login('ada@example.com');
    tokensOf(await client.answerChallenge(String(body['challenge']), code ?? ''));
  });

  it('guards its own routes', async () => {
    const { accessToken } = tokensOf(await client.login('alan@example.com'));
    expect((await client.me(accessToken)).body).toEqual({ user: 'alan', accounts: [3] });
    const contacts = (account: number) =>
      client.send('GET', `/accounts/${account}/contacts`, { bearer: accessToken });
    expect((await contacts(3)).status).toBe(200);
    expect((await contacts(1)).body['error']).toBe('access_denied');
    expect((await client.adminReport(accessToken)).body['error']).toBe('insufficient_scope');
    expect((await client.me(undefined)).status).toBe(401);
  });

  it('uses its own address as the issuer unless ISSUER is set', async () => {
    const metadata = await client.send('GET', '/.well-known/oauth-authorization-server');
    expect(metadata.body).toMatchObject({ issuer: app.url, token_endpoint: `${app.url}/token` });
    const { client: other } = await start({ ISSUER: 'https://api.example.com' });
    const otherMetadata = await other.send('GET', '/.well-known/oauth-authorization-server');
    expect(otherMetadata.body['issuer']).toBe('https://api.example.com');
  });

  it('throttles logins unless LOGIN_THROTTLE is off', async () => {
    const [{ client }, { client: unthrottled }] = await Promise.all([
      start(),
      start({ LOGIN_THROTTLE: 'off' }),
    ]);
    for (let time = 0; time < 10; time += 1) {
      await client.login('alan@example.com', { password: 'wrong' });
      await unthrottled.login('alan@example.com', { password: 'wrong' });
    }
    expect((await client.login('alan@example.com')).status).toBe(429);
    expect((await unthrottled.login('alan@example.com')).status).toBe(200);
  });

  it('exits within six seconds of SIGTERM with a client connected', async () => {
    const { app, client } = await start();
    await client.login('alan@example.com');
    await within(6_000, app.stop());
  });

  it('exits with 1 and an explanation if PORT is invalid', async () => {
    for (const PORT of ['abc', '70000']) {
      const DATA_DIR = join(await temporaryFolder(), 'data');
      const rejected: unknown = await start({ PORT, DATA_DIR }).catch((error) => error.report);
      expect(rejected).toMatch(
        /ended with 1 before it printed .*\nPORT is "\w+": set it to .*\.\n?$/,
      );
      expect(existsSync(DATA_DIR)).toBe(false);
    }
  });

  it('responds to an event with 503 and Retry-After while its storage is unavailable', async () => {
    const redis = await startRedisServer();
    onTestFinished(() => redis.stop());
    const { client } = await start({ REDIS_URL: redis.url, ISSUER });
    const json = { event: 'Contact.Added', account_id: 1, data: {} };
    expect((await client.send('POST', '/demo/events', { json })).status).toBe(202);
    await redis.kill9();
    const { status, headers, body } = await client.send('POST', '/demo/events', { json });
    expect([status, body['error']]).toEqual([503, 'temporarily_unavailable']);
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
  });

  it('responds to an invalid event with a JSON error, and prints no stack', async () => {
    const printed = app.output();
    const json = 'application/json';
    const event = (data: string) => `{"event":"Contact.Added","account_id":1,"data":${data}}`;
    const cases: [status: number, body: string, type?: string, encoding?: string][] = [
      [202, event('{"a":1}')],
      [202, event(`{"a":"${'x'.repeat(200_000)}"}`)],
      [413, event(`{"a":"${'x'.repeat(262_144)}"}`)],
      [413, event(`{"a":"${'x'.repeat(3_000_000)}"}`)],
      [413, event(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)],
      ...['{"event":', '', 'null', '[]', '"x"', '{"event":"Contact.Sold","account_id":1}'].map(
        (body): [number, string] => [400, body],
      ),
      [400, '{"event":"Contact.Added","account_id":"1"}'],
      [400, event('[]')],
      [400, event('{"a":1e400}')],
      [415, event('{}'), 'text/plain'],
      [415, 'event=Contact.Added&account_id=1', 'application/x-www-form-urlencoded'],
      [415, event('{}'), json, 'gzip'],
    ];
    for (const [status, body, type = json, encoding] of cases) {
      const response = await fetch(`${app.url}/demo/events`, {
        method: 'POST',
        headers: { 'content-type': type, ...(encoding && { 'content-encoding': encoding }) },
        body,
      });
      const what = `${type} ${body.slice(0, 50)}`;
      expect(response.status, what).toBe(status);
      expect(response.headers.get('content-type'), what).toContain(json);
      const answer = await response.json();
      expect(answer, what).toHaveProperty(status === 202 ? 'id' : 'error_description');
    }
    expect(app.output()).toBe(printed);
    expect((await client.send('GET', '/accounts/%ZZ/contacts')).status).toBeOneOf([400, 401]);
    expect(app.output()).toBe(printed);
  });

  it('prints no stack if a client resets the connection', async () => {
    const { app, client } = await start();
    const printed = app.output();
    const { port } = new URL(app.url);
    for (const path of ['/demo/events', '/token']) {
      for (const part of [
        'content-length: 100\r\n\r\n{"',
        'transfer-encoding: chunked\r\n\r\nzz\r\n{"',
      ]) {
        const socket = connect(Number(port), '127.0.0.1');
        socket.on('error', () => {});
        const head = `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n`;
        await new Promise<void>((written) => socket.write(head + part, () => written()));
        // After this response the app has begun to read the body.
        await client.send('GET', '/.well-known/oauth-authorization-server');
        socket.resetAndDestroy();
      }
    }
    // Any output about the broken connections comes before this response.
    await client.send('GET', '/.well-known/oauth-authorization-server');
    await app.stop();
    expect(app.output()).toBe(printed);
  });

  it('refreshes a session of another process on the same Redis', async () => {
    const env = redisEnv();
    const [one, two] = await Promise.all([start(env), start(env)]);
    const first = tokensOf(await one.client.login('ada@example.com', { scopes: 'user,admin' }));
    const second = tokensOf(await two.client.refresh(first.refreshToken));
    expect(tokensOf(await one.client.refresh(first.refreshToken)).refreshToken).toBe(
      second.refreshToken,
    );
    expect((await one.client.adminReport(second.accessToken)).status).toBe(200);
    expect((await one.client.revoke(second.refreshToken)).status).toBe(200);
    expect((await two.client.refresh(second.refreshToken)).status).toBe(400);
    expect((await two.client.adminReport(second.accessToken)).status).toBe(401);
  });

  it('on Redis keeps sessions and challenges across a restart', async () => {
    const env = redisEnv();
    const before = await start(env);
    const session = tokensOf(await before.client.login('ada@example.com'));
    const { body } = await before.client.login('grace@example.com');
    await before.app.stop();
    const after = await start(env);
    expect((await after.client.refresh(session.refreshToken)).status).toBe(200);
    expect((await after.client.me(session.accessToken)).status).toBe(200);
    const code = 'DEMO-CODE-AAAA-2222';
    const answer = await after.client.answerChallenge(String(body['challenge']), code);
    expect(answer.status).toBe(200);
  });
});
