import { decodeJwt } from 'jose';
import { expect, onTestFinished } from 'vitest';
import { expectRejected, expectRejectedToken } from '../support/clients/expect-rejected.ts';
import { GARBAGE_PAT } from '../support/clients/pat-calls.ts';
import { errorOf, get, pendingChallenge, session } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { storageSwitch } from '../support/storage/storage-switch.ts';

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

  test('is rejected if it is no access token, or one whose signature is changed', async (app) => {
    const { access_token, refresh_token } = await session(app);
    const signatureAt = access_token.lastIndexOf('.') + 1;
    const changed = access_token[signatureAt] === 'A' ? 'B' : 'A';
    const forged =
      access_token.slice(0, signatureAt) + changed + access_token.slice(signatureAt + 1);
    const challenge = await pendingChallenge(app);
    for (const token of [forged, refresh_token, challenge, GARBAGE_PAT]) {
      await expectRejectedToken(app, token);
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
