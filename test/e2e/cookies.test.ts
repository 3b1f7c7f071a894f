import { assertHoldsNoSecrets } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestApp, type TestAppOptions } from '../support/apps/test-app.ts';
import { inspectDeep } from '../support/apps/watch-output.ts';
import {
  ACCESS,
  OWN,
  openCookiePage,
  REFRESH,
  setCookies,
} from '../support/clients/cookie-page.ts';
import { BAD_TOKEN, expectRejected } from '../support/clients/expect-rejected.ts';
import {
  challengeOf,
  errorOf,
  get,
  logIn,
  postJson,
  refresh,
  session,
  tokensOf,
  totp,
} from '../support/clients/token-calls.ts';
import { comparable } from '../support/storage/in-every-cell.ts';
import { GRACE_MS, SECOND_MS } from '../support/time/policy-times.ts';

const HOUR_MS = 3_600_000;

/** Browsers remove a cookie only if the attributes are those with which it was set. */
const REMOVED = [
  '__Host-latchhook-access=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict',
  '__Host-latchhook-refresh=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict',
];

describe.each(['express', 'koa'] as const)('a login by cookies in %s', (framework) => {
  async function fixture(options: TestAppOptions = {}) {
    const app = await startTestApp(
      { framework, storage: 'memory' },
      { ...options, auth: { cookies: true, ...options.auth } },
    );
    onTestFinished(() => app.stop());
    return { app, page: openCookiePage(app.send) };
  }

  it('responds with the user, scopes and lifetimes, and with no token', async () => {
    const { page } = await fixture();
    const response = await page.logIn();
    expect([response.status, response.body]).toEqual([
      200,
      '{"sub":"ada","token_type":"bearer","expires_in":3600,"accounts":[1,2],"scope":"user","refresh_expires_in":2592000}',
    ]);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(setCookies(response)).toEqual([
      expect.stringMatching(
        /^__Host-latchhook-access=[\w.-]+; Max-Age=3600; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
      expect.stringMatching(
        /^__Host-latchhook-refresh=[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
  });

  it('sets cookies with SameSite=Lax if the app configures it', async () => {
    const { page } = await fixture({ auth: { cookies: { sameSite: 'lax' } } });
    const cookies = setCookies(await page.logIn());
    expect(cookies).toHaveLength(2);
    for (const cookie of cookies) expect(cookie).toContain('; Secure; SameSite=Lax');
  });

  it('opens routes of Latchhook and of the host with any method', async () => {
    const { page } = await fixture();
    await page.logIn();
    expect((await page.send('GET', '/me')).body).toContain('"userId":"ada"');
    expect((await page.send('GET', '/me', undefined, {})).status).toBe(200);
    expect((await page.send('POST', '/me', {})).status).toBe(200);
    expect((await page.send('GET', '/users/self/sessions')).status).toBe(200);
    const sessions = await page.send('DELETE', '/users/self/sessions?except=current');
    expect(sessions.status).toBe(204);
  });

  it('is refreshed by the refresh cookie, which is rotated', async () => {
    const { app, page } = await fixture();
    await page.logIn();
    const before = new Map(page.jar);
    const response = await page.refresh();
    expect(response.status).toBe(200);
    expect(JSON.parse(response.body)).toMatchObject({ sub: 'ada', scope: 'user' });
    expect(response.body).not.toContain('_token"');
    expect(page.jar.get(REFRESH)).not.toBe(before.get(REFRESH));
    expect(page.jar.get(ACCESS)).not.toBe(before.get(ACCESS));
    expect((await page.send('PUT', '/token', {})).status).toBe(200);
    expect(app.events.filter(({ type }) => type === 'session.refreshed')).toHaveLength(2);
  });

  it('can be refreshed with only the refresh cookie left', async () => {
    const { app, page } = await fixture();
    await page.logIn();
    page.jar.delete(ACCESS);
    app.clock.advance(HOUR_MS);
    expectRejected(await page.send('GET', '/me'), 'Bearer');
    expect((await page.refresh()).status).toBe(200);
    expect((await page.send('GET', '/me')).status).toBe(200);
  });

  it('can be started by refreshing a session that was kept in tokens', async () => {
    const { app, page } = await fixture();
    const { refresh_token } = await session(app);
    const response = await page.send('POST', '/token', {
      grant_type: 'refresh_token',
      refresh_token,
    });
    expect(setCookies(response)).toHaveLength(2);
    expect((await page.send('GET', '/me')).status).toBe(200);
  });

  it('sets cookies only after the second factor', async () => {
    const { app, page } = await fixture();
    const challengeResponse = await page.logIn('grace');
    expect(setCookies(challengeResponse)).toEqual([]);
    const { challenge } = challengeOf(challengeResponse);
    const response = await page.send('POST', '/token/challenge', { challenge, code: totp(app) });
    expect([response.status, JSON.parse(response.body).sub]).toEqual([200, 'grace']);
    expect(response.body).not.toContain('_token"');
    expect(page.jar.size).toBe(2);
  });

  it('ends at POST /token/revoke, which removes the cookies', async () => {
    const { app, page } = await fixture();
    await page.logIn();
    const token = page.jar.get(REFRESH) ?? '';
    const response = await page.send('POST', '/token/revoke', {});
    expect([response.status, response.body]).toEqual([200, '{}']);
    expect(page.jar.size).toBe(0);
    expect(setCookies(response)).toEqual(REMOVED);
    expect(app.events.filter(({ type }) => type === 'session.revoked')).toHaveLength(1);
    expect(errorOf(await refresh(app, token)).error).toBe('invalid_grant');
    // Another tab logs out, too.
    expect((await page.send('POST', '/token/revoke', {})).status).toBe(200);
  });

  it.each(['all sessions', 'its session'])(
    'ends at DELETE of %s, which removes the cookies',
    async (which) => {
      const { page } = await fixture();
      await page.logIn();
      const { data } = JSON.parse((await page.send('GET', '/users/self/sessions')).body);
      const path = which === 'all sessions' ? '' : `/${data[0].id}`;
      const response = await page.send('DELETE', `/users/self/sessions${path}`);
      expect([response.status, response.body, page.jar.size]).toEqual([204, '', 0]);
      expect(setCookies(response)).toEqual(REMOVED);
    },
  );

  it('survives a DELETE of other sessions', async () => {
    const { app, page } = await fixture();
    await session(app);
    await page.logIn();
    const { data } = JSON.parse((await page.send('GET', '/users/self/sessions')).body);
    const { id } = data.find((one: { current: boolean }) => !one.current);
    for (const path of [`/${id}`, '?except=current']) {
      const response = await page.send('DELETE', `/users/self/sessions${path}`);
      expect([response.status, setCookies(response)]).toEqual([204, []]);
    }
    expect((await page.send('GET', '/me')).status).toBe(200);
  });

  it('survives the revocation of the token of another session', async () => {
    const { app, page } = await fixture();
    await page.logIn();
    const other = await session(app);
    await page.send('POST', '/token/revoke', { token: other.refresh_token });
    expect(errorOf(await refresh(app, other.refresh_token)).error).toBe('invalid_grant');
    expect((await page.send('GET', '/me')).status).toBe(200);
  });

  it('gets the error of a request without cookies once its session has ended, and keeps the cookies', async () => {
    const { app, page } = await fixture();
    const nobody = await page.refresh();
    expect(errorOf(nobody).error).toBe('invalid_grant');
    await page.logIn();
    await app.auth.sessions.revokeAll('ada');
    const ended = await page.refresh();
    expect([ended.status, ended.body]).toEqual([400, nobody.body]);
    expect(setCookies(ended)).toEqual([]);
    expectRejected(await page.send('GET', '/users/self/sessions'), BAD_TOKEN);
  });

  it('returns the same successor to two tabs that refresh in parallel, and ends at reuse', async () => {
    const { app, page } = await fixture();
    await page.logIn();
    const other = openCookiePage(app.send);
    for (const [name, value] of page.jar) other.jar.set(name, value);
    const late = new Map(page.jar);
    await Promise.all([page.refresh(), other.refresh()]);
    expect(page.jar.get(REFRESH)).toBe(other.jar.get(REFRESH));
    app.clock.advance(GRACE_MS + SECOND_MS);
    for (const [name, value] of late) other.jar.set(name, value);
    expect(errorOf(await other.refresh()).error).toBe('invalid_grant');
    expect(errorOf(await page.refresh()).error).toBe('invalid_grant');
  });

  it('can be started by the host', async () => {
    const { page } = await fixture();
    const response = await page.send('POST', '/logins/ada', { amr: ['fed'], cookies: true });
    expect([response.status, JSON.parse(response.body).sub]).toEqual([200, 'ada']);
    expect(response.body).not.toContain('_token"');
    expect((await page.send('GET', '/me')).status).toBe(200);
  });

  it('is rejected if its accounts exceed the size of a cookie, unless bound to one account', async () => {
    const accounts = Array.from({ length: 600 }, (_, index) => 100_000 + index);
    const { app, page } = await fixture({
      userStore: (users) => ({
        ...users,
        findByUsername: async (username) => {
          const user = await users.findByUsername(username);
          return user && { ...user, accounts };
        },
      }),
    });
    const fields = errorOf(await page.logIn()).errors?.map(({ field }) => field);
    expect(fields).toEqual(['account_id']);
    expect(app.events.map(({ type }) => type)).not.toContain('login.succeeded');
    expect((await page.logIn('ada', { account_id: accounts[0] })).status).toBe(200);
    expect((await logIn(app, 'ada')).status).toBe(200);
  });

  it('changes, once enabled, no response to clients without cookies, to the byte', async () => {
    const responses = await Promise.all(
      [{ cookies: true }, {}].map(async (auth) => {
        const app = await startTestApp({ framework, storage: 'memory' }, { auth });
        onTestFinished(() => app.stop());
        const { access_token, refresh_token } = await session(app);
        await postJson(app, '/token', { grant_type: 'refresh_token' });
        await postJson(app, '/token', { grant_type: 'refresh_token', scopes: 1 });
        await postJson(app, '/token/revoke', {});
        await postJson(app, '/token/revoke', { token_type_hint: 1 });
        await logIn(app, 'ada', { password: 'wrong' });
        await logIn(app, 'grace');
        tokensOf(await refresh(app, refresh_token));
        await get(app, '/me');
        await get(app, '/me', access_token);
        await get(app, '/users/self/sessions', access_token);
        await app.send({
          method: 'DELETE',
          path: '/users/self/sessions',
          headers: ['authorization', `Bearer ${access_token}`],
        });
        await get(app, '/.well-known/oauth-authorization-server');
        return app.transcript.map(comparable);
      }),
    );
    expect(responses[0]).toEqual(responses[1]);
  });

  it('is available only if the app enables cookies', async () => {
    const { page } = await fixture({ auth: { cookies: false } });
    const response = await page.logIn();
    expect(setCookies(response)).toEqual([]);
    page.jar.set(ACCESS, tokensOf(response).access_token);
    expectRejected(await page.send('GET', '/me', undefined, OWN), 'Bearer');
    const host = await page.send('POST', '/logins/ada', { amr: ['fed'], cookies: true });
    expect(host.status).toBe(500);
  });

  it('exposes no token in events', async () => {
    const { app, page } = await fixture();
    const tokens: (string | undefined)[] = [];
    const remember = () => tokens.push(page.jar.get(ACCESS), page.jar.get(REFRESH));
    await page.logIn('ada', { scopes: 'user,auth' });
    remember();
    await page.refresh({});
    await page.refresh();
    remember();
    await page.send('DELETE', '/users/self/sessions');
    await page.send('GET', '/users/self/sessions');
    await page.send('POST', '/token/revoke', {});
    expect(app.events.length).toBeGreaterThan(2);
    expect(tokens).toHaveLength(4);
    assertHoldsNoSecrets(inspectDeep(app.events), tokens.map(String));
  });

  it('is described in OpenAPI', async () => {
    const { page } = await fixture();
    const document = JSON.parse((await page.send('GET', '/openapi.json')).body);
    expect(Object.keys(document.components.securitySchemes)).toEqual(['bearer', 'cookie']);
    expect(document.paths['/users/self/sessions'].get.security).toEqual([
      { bearer: ['user'] },
      { cookie: ['user'] },
    ]);
    expect(document.paths['/token/revoke'].post.responses['403'].description).toBe('access_denied');
    expect(document.components.schemas.RefreshGrant.required).toEqual(['grant_type']);
    expect(document.components.schemas.CookieSession.required).toContain('sub');
  });
});
