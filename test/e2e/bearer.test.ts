import { decodeJwt } from 'jose';
import { expect, onTestFinished } from 'vitest';
import type { HttpResponse } from '../hosts/send-request.ts';
import type { TestApp } from '../support/apps/test-app.ts';
import {
  BAD_TOKEN,
  expectRejected,
  expectRejectedToken,
} from '../support/clients/expect-rejected.ts';
import { GARBAGE_PAT } from '../support/clients/pat-calls.ts';
import { errorOf, get, pendingChallenge, session } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { storageSwitch } from '../support/storage/storage-switch.ts';

function withHeader(app: TestApp, ...authorization: readonly string[]): Promise<HttpResponse> {
  const headers = authorization.flatMap((value) => ['authorization', value]);
  return app.send({ method: 'GET', path: '/me', headers });
}

inEveryCell('a bearer token', (test) => {
  test('opens a route of the host, which gets its claims', async (app) => {
    const { access_token } = await session(app, 'ada', { account_id: 2 });
    const response = await get(app, '/me', access_token);
    expect(JSON.parse(response.body)).toMatchObject({
      userId: 'ada',
      scopes: ['user'],
      accounts: [2],
      accountId: 2,
      clientId: 'first-party',
      amr: ['pwd'],
      expiresAtMs: Math.floor(app.clock.nowMs() / 1000) * 1000 + 3600_000,
    });
  });

  test('is asked for by a WWW-Authenticate header without an error code if the request has no token', async (app) => {
    expectRejected(await withHeader(app), 'Bearer');
    expectRejected(await withHeader(app, 'Basic YTpi'), 'Bearer');
    expectRejected(await withHeader(app, 'Bearerish x'), 'Bearer');
  });

  test('is accepted under any letter case of the scheme', async (app) => {
    const { access_token } = await session(app);
    expect((await withHeader(app, `bEARER  ${access_token}`)).status).toBe(200);
  });

  test('is rejected if the header is malformed', async (app) => {
    const { access_token } = await session(app);
    for (const header of [
      'Bearer',
      'Bearer ',
      'Bearer a b',
      `Bearer ${access_token} x`,
      `Bearer ${access_token},`,
      `Bearer ${'a'.repeat(9000)}`,
      'Bearer \xe9\xff',
      `Bearer "${access_token}"`,
    ]) {
      expectRejected(await withHeader(app, header), BAD_TOKEN);
    }
  });

  test('is rejected if the Authorization header is repeated, even with a valid token', async (app) => {
    const { access_token } = await session(app);
    const right = `Bearer ${access_token}`;
    expectRejected(await withHeader(app, right, 'Bearer x'), BAD_TOKEN);
    expectRejected(await withHeader(app, 'Bearer x', right), BAD_TOKEN);
    expectRejected(await withHeader(app, right, right), BAD_TOKEN);
  });

  test('is ignored in the query string', async (app) => {
    const { access_token } = await session(app);
    const response = await get(app, `/me?access_token=${access_token}`);
    expectRejected(response, 'Bearer');
  });

  test('is valid until the second of its exp, and not longer', async (app) => {
    const { access_token, expires_in } = await session(app, 'ada', { expiration_seconds: 600 });
    const { exp = 0 } = decodeJwt(access_token);
    expect(exp * 1000 - app.clock.nowMs()).toBeLessThanOrEqual(expires_in * 1000);
    app.clock.advance(exp * 1000 - app.clock.nowMs() - 1);
    expect((await get(app, '/me', access_token)).status).toBe(200);
    app.clock.advance(1);
    await expectRejectedToken(app, access_token);
  });

  test('is rejected if it is a refresh token, an MFA challenge or a fake personal access token', async (app) => {
    const { refresh_token } = await session(app);
    const challenge = await pendingChallenge(app);
    for (const token of [refresh_token, challenge, GARBAGE_PAT]) {
      await expectRejectedToken(app, token);
    }
  });

  test('gets a 403 that names the missing scope', async (app) => {
    const { access_token } = await session(app);
    const response = await get(app, '/admin', access_token);
    expect(errorOf(response, 403).error).toBe('insufficient_scope');
    expect(response.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="admin"',
    );
  });

  test('gets a 403 for an account that the user does not belong to', async (app) => {
    const { access_token } = await session(app);
    for (const account of ['3', 'x', '-1', '1.5', 'NaN', '%31%30']) {
      const response = await get(app, `/accounts/${account}`, access_token);
      expect(errorOf(response, 403).error).toBe('access_denied');
      expect(response.headers['www-authenticate']).toMatch(/^Bearer error="insufficient_scope"/);
    }
  });
});

const storage = storageSwitch();

inEveryCell(
  'a bearer token while the storage is down',
  (test) => {
    test('is accepted with scope user, and gets 503 if its session must be looked up', async (app) => {
      const user = await session(app);
      const admin = await session(app, 'ada', { scopes: 'user,admin' });
      storage.mode = 'down';
      onTestFinished(() => {
        storage.mode = 'up';
      });
      expect((await get(app, '/me', user.access_token)).status).toBe(200);
      const checked = [
        await get(app, '/me', admin.access_token),
        await get(app, '/checked', user.access_token),
      ];
      for (const response of checked) {
        expect(errorOf(response, 503).error).toBe('temporarily_unavailable');
        expect(response.headers['retry-after']).toBe('1');
      }
      storage.mode = 'up';
      expect((await get(app, '/me', admin.access_token)).status).toBe(200);
    });
  },
  { wrapStorage: storage.wrap },
);
