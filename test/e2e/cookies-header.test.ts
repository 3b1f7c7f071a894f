import { describe, expect, it, onTestFinished } from 'vitest';
import { ISSUER, startTestApp } from '../support/apps/test-app.ts';
import { OWN, openCookiePage } from '../support/clients/cookie-page.ts';
import { errorOf, session } from '../support/clients/token-calls.ts';
import { TEST_PASSWORD } from '../support/clients/users.ts';

const LOGIN = { username: 'ada@example.com', password: TEST_PASSWORD };

describe.each(['express', 'koa'] as const)('the header Latchhook-Session in %s', (framework) => {
  async function fixture(cookies = true) {
    const app = await startTestApp({ framework, storage: 'memory' }, { auth: { cookies } });
    onTestFinished(() => app.stop());
    return { app, page: openCookiePage(app.send) };
  }

  it.each(['Cookie', 'true', 'cookie, cookie', ''])(
    'is rejected by every route with the value %j',
    async (value) => {
      const { app, page } = await fixture();
      const { access_token, refresh_token } = await session(app);
      const events = app.events.length;
      const headers = { ...OWN, 'latchhook-session': value };
      const bearer = { ...headers, authorization: `Bearer ${access_token}` };
      const grant = { grant_type: 'refresh_token', refresh_token };
      for (const response of [
        await page.send('POST', '/token', LOGIN, headers),
        await page.send('POST', '/token', grant, headers),
        await page.send('PUT', '/token', grant, headers),
        await page.send('POST', '/token/challenge', {}, headers),
        await page.send('POST', '/token/revoke', { token: refresh_token }, headers),
        await page.send('GET', '/users/self/sessions', undefined, bearer),
      ]) {
        expect(errorOf(response)).toEqual({
          error: 'invalid_request',
          error_description: 'The only value of `Latchhook-Session` is `cookie`, given once.',
        });
      }
      expect(app.events).toHaveLength(events);
    },
  );

  it('is rejected if sent twice', async () => {
    const { app } = await fixture();
    const response = await app.send({
      method: 'POST',
      path: '/token',
      headers: [
        ...['content-type', 'application/json', 'origin', ISSUER],
        ...['latchhook-session', 'cookie', 'latchhook-session', 'cookie'],
      ],
      body: JSON.stringify(LOGIN),
    });
    expect(errorOf(response).error).toBe('invalid_request');
  });

  it('opens no route of the host to cookies with the value "bearer"', async () => {
    const { page } = await fixture();
    await page.logIn();
    const headers = { ...OWN, 'latchhook-session': 'bearer' };
    expect(errorOf(await page.send('POST', '/me', {}, headers), 403).error).toBe('access_denied');
  });

  it('is ignored if the app has no cookies', async () => {
    const { page } = await fixture(false);
    const response = await page.send('POST', '/token', LOGIN, { 'latchhook-session': 'true' });
    expect(response.status).toBe(200);
  });
});
