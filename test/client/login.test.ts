import { ClientError, createClient } from '@latchhook/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GRACE_RECOVERY_CODES } from '../support/apps/test-app.ts';
import { codeOf } from '../support/clients/mfa-calls.ts';
import { GRACE_TOTP_SECRET, TEST_PASSWORD } from '../support/clients/users.ts';
import { ADA, EXPIRED_MS, startClientApp } from '../support/tabs/client-app.ts';

const GRACE = { username: 'grace@example.com', password: TEST_PASSWORD };

describe('a login by the client', () => {
  it('resolves to the user, scopes and accounts of the session', async () => {
    const app = await startClientApp({ mountPath: '/api/auth' });
    const client = createClient({ baseUrl: `${app.url}/` });
    expect(client.session()).toBeNull();
    expect(await client.getAccessToken()).toBeNull();
    const session = { userId: 'ada', scopes: ['user', 'admin'], accounts: [1, 2] };
    const request = { ...ADA, scopes: ['user', 'admin'], accountId: 2 };
    expect(await client.login(request)).toEqual({ outcome: 'success', session });
    expect(client.session()).toEqual(session);
    const me = await (await client.fetch('/me')).json();
    expect(me).toMatchObject({ userId: 'ada', accountId: 2 });
  });

  it('has the default scope, and all accounts, if the app passes undefined for both', async () => {
    const app = await startClientApp();
    const client = createClient({ baseUrl: app.url });
    await client.login({ ...ADA, scopes: undefined, accountId: undefined });
    expect(client.session()).toEqual({ userId: 'ada', scopes: ['user'], accounts: [1, 2] });
    expect(await (await client.fetch('/me')).json()).toMatchObject({ accountId: null });
  });

  it('loses the scope auth at the first refresh, and notifies subscribers', async () => {
    const app = await startClientApp();
    const client = createClient({ baseUrl: app.url });
    await client.login({ ...ADA, scopes: ['user', 'auth'] });
    const notifications: unknown[] = [];
    client.subscribe((session) => notifications.push(session));
    app.clock.advance(EXPIRED_MS);
    expect((await client.fetch('/me')).status).toBe(200);
    expect(notifications).toEqual([{ userId: 'ada', scopes: ['user'], accounts: [1, 2] }]);
  });

  it('rejects with the error of the server, and keeps the current session', async () => {
    const app = await startClientApp();
    const client = createClient({ baseUrl: app.url });
    await client.login(ADA);
    const wrong = client.login({ ...ADA, password: 'wrong' });
    await expect(wrong).rejects.toBeInstanceOf(ClientError);
    await expect(wrong).rejects.toMatchObject({
      code: 'invalid_grant',
      status: 400,
      message: 'The username or the password is wrong.',
    });
    expect(client.session()?.userId).toBe('ada');
    await expect(client.login({ username: '', password: '' })).rejects.toMatchObject({
      code: 'invalid_request',
      fields: expect.arrayContaining([expect.objectContaining({ field: 'username' })]),
    });
  });

  it('rejects with the seconds to wait after too many failures', async () => {
    const app = await startClientApp({ auth: { throttle: {} } });
    const client = createClient({ baseUrl: app.url });
    const wrong = { ...ADA, password: 'wrong' };
    for (let failures = 0; failures < 10; failures += 1) await client.login(wrong).catch(() => {});
    await expect(client.login(ADA)).rejects.toMatchObject({
      code: 'too_many_requests',
      status: 429,
      retryAfterSeconds: 60,
    });
  });

  it('rejects with network_error if the server is unreachable', async () => {
    const app = await startClientApp();
    app.stop();
    const login = createClient({ baseUrl: app.url }).login(ADA);
    await expect(login).rejects.toMatchObject({ code: 'network_error', status: undefined });
  });
});

describe('a client login with a second factor', () => {
  it('is completed by a code, with the scopes of the login', async () => {
    const app = await startClientApp();
    const client = createClient({ baseUrl: app.url });
    const login = await client.login({ ...GRACE, scopes: ['user', 'admin'] });
    if (login.outcome !== 'challenge') throw new Error('no challenge');
    expect(login.methods).toEqual(['totp', 'recovery_code']);
    expect(client.session()).toBeNull();

    const { challenge } = login;
    const wrong = client.completeChallenge({ challenge, code: 'AAAA-AAAA-AAAA-AAAA' });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_grant', attemptsRemaining: 4 });
    await client.completeChallenge({ challenge, code: codeOf(app, GRACE_TOTP_SECRET) });
    expect(client.session()).toEqual({
      userId: 'grace',
      scopes: ['user', 'admin'],
      accounts: [2],
    });
  });

  it('can be completed by another client, as after a reload', async () => {
    const app = await startClientApp();
    const login = await createClient({ baseUrl: app.url }).login(GRACE);
    if (login.outcome !== 'challenge') throw new Error('no challenge');
    const client = createClient({ baseUrl: app.url });
    const [code] = GRACE_RECOVERY_CODES;
    await client.completeChallenge({ challenge: login.challenge, code, scopes: ['user', 'admin'] });
    expect(client.session()?.scopes).toEqual(['user', 'admin']);
  });
});

describe('a logout by the client', () => {
  it('ends the session on the server', async () => {
    const app = await startClientApp();
    const client = createClient({ baseUrl: app.url });
    await client.login(ADA);
    expect(await client.logout()).toEqual({ outcome: 'success' });
    expect(client.session()).toBeNull();
    expect(await app.auth.sessions.list('ada')).toEqual([]);
    expect(await client.logout()).toEqual({ outcome: 'success' });
  });

  it('resolves to not_revoked if the server is unreachable, and ends the session locally', async () => {
    const app = await startClientApp();
    const client = createClient({ baseUrl: app.url });
    await client.login(ADA);
    app.stop();
    const logout = await client.logout();
    expect(logout).toMatchObject({ outcome: 'not_revoked', error: { code: 'network_error' } });
    expect(client.session()).toBeNull();
  });
});

it.each([
  'ftp://api.example.com',
  'api',
  '/api',
  'https://api.example.com?x=1',
  'https://api.example.com/#f',
  'https://ada:secret@api.example.com',
])('createClient rejects the unusable base URL %s', (baseUrl) => {
  expect(() => createClient({ baseUrl })).toThrow(TypeError);
});

it.each([undefined, ''])('createClient rejects the base URL %o in a browser too', (baseUrl) => {
  vi.stubGlobal('location', { href: 'https://app.example.com/contacts' });
  onTestFinished(() => void vi.unstubAllGlobals());
  // As a bundler replaces a variable that is not set when it builds.
  const create = () => createClient({ baseUrl: baseUrl as string });
  expect(create).toThrow(TypeError);
});

it('createClient accepts a base URL with a path', () => {
  const client = createClient({ baseUrl: 'https://api.example.com/@team/v1' });
  expect(client.session()).toBeNull();
});

it('createClient rejects a misspelt mode, which must not become bearer mode', () => {
  // @ts-expect-error: no such mode
  const create = () => createClient({ baseUrl: 'https://api.example.com', mode: 'cookies' });
  expect(create).toThrow(new TypeError('cookies is no mode: use bearer or cookie.'));
});
