import type { LoginRequest } from '@latchhook/core';
import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import type { HttpResponse } from '../hosts/send-request.ts';
import type { TestApp } from '../support/apps/test-app.ts';
import { enrol, TOTP } from '../support/clients/mfa-calls.ts';
import { listSessions } from '../support/clients/session-calls.ts';
import {
  answerChallenge,
  challengeOf,
  errorOf,
  JSON_TYPE,
  logIn,
  refresh,
  tokensOf,
  totp,
} from '../support/clients/token-calls.ts';
import { callsWith } from '../support/clients/webhook-calls.ts';
import { comparable, inEveryCell } from '../support/storage/in-every-cell.ts';

const AGENT = ['user-agent', 'a browser'] as const;

/** Logs in by a route of the host that authenticates nobody. */
function logInByHost(
  app: TestApp,
  userId: string,
  request: LoginRequest = { amr: ['email'] },
): Promise<HttpResponse> {
  const headers = [...JSON_TYPE, ...AGENT];
  const body = JSON.stringify(request);
  return app.send({ method: 'POST', path: `/logins/${userId}`, headers, body });
}

inEveryCell('a login by the host', (test) => {
  test('gets the same response as a login by password, to the byte', async (app) => {
    const options = { accountId: 2, scopes: ['user', 'admin'], expirationSeconds: 700 } as const;
    const fields = { account_id: 2, scopes: 'user,admin', expiration_seconds: 700 };
    for (const user of ['ada', 'grace']) {
      for (const version of ['v1', 'v2'] as const) {
        const byHost = await logInByHost(app, user, { amr: ['pwd'], ...options, version });
        const byPassword = await logIn(app, user, fields, `?version=${version}`);
        expect(comparable(byHost)).toEqual(comparable(byPassword));
      }
    }
  });

  test('records how, when and from where the user was authenticated', async (app) => {
    const authTimeMs = app.clock.nowMs() - 3_600_000;
    const tokens = tokensOf(
      await logInByHost(app, 'ada', { amr: ['fed'], authTimeMs, accountId: 2 }),
    );
    const successor = tokensOf(await refresh(app, tokens.refresh_token));
    for (const { access_token } of [tokens, successor]) {
      expect(decodeJwt(access_token)).toMatchObject({
        sub: 'ada',
        amr: ['fed'],
        auth_time: Math.floor(authTimeMs / 1000),
        account_id: 2,
      });
    }
    const sessions = await listSessions(callsWith(app, successor.access_token));
    const from = { address: '127.0.0.1', user_agent: 'a browser' };
    expect(sessions).toMatchObject([{ amr: ['fed'], account_id: 2, ...from, current: true }]);
  });

  test('needs the second factor, after which amr has no pwd', async (app) => {
    const authTimeMs = app.clock.nowMs();
    const options = { amr: ['email'], accountId: 2, version: 'v1' } as const;
    const { challenge } = challengeOf(await logInByHost(app, 'grace', options));
    app.clock.advance(10_000);
    const response = await answerChallenge(app, challenge, { code: totp(app) });
    expect(decodeJwt(tokensOf(response).access_token)).toMatchObject({
      amr: ['email', 'otp'],
      auth_time: Math.floor(authTimeMs / 1000),
      account_id: 2,
    });
    expect(Object.keys(tokensOf(response))).not.toContain('scope');
    const [created, succeeded] = app.events;
    expect(created).toMatchObject({ type: 'challenge.created', userId: 'grace', actor: 'host' });
    expect(succeeded).toMatchObject({ type: 'login.succeeded', userId: 'grace', actor: 'host' });
  });

  test('gets the error of a login by password for the same invalid request, to the byte', async (app) => {
    const wrong: readonly [options: object, fields: Record<string, unknown>, query?: string][] = [
      [{ accountId: 1 }, { account_id: 1 }],
      [{ scopes: ['admin'] }, { scopes: 'admin' }],
      [{ scopes: ['root'] }, { scopes: 'root' }],
      [{ scopes: [] }, { scopes: '' }],
      [{ accountId: '1' }, { account_id: '1' }],
      [
        { expirationSeconds: 599, accountId: 1.5 },
        { expiration_seconds: 599, account_id: 1.5 },
      ],
      [{ version: 'v3', accountId: '1' }, { account_id: '1' }, '?version=v3'],
    ];
    for (const [options, fields, query] of wrong) {
      const byHost = await logInByHost(app, 'alan', { amr: ['pwd'], ...options });
      expect(byHost.status).toBeGreaterThanOrEqual(400);
      const byPassword = await logIn(app, 'alan', fields, query);
      expect(comparable(byHost)).toEqual(comparable(byPassword));
    }
  });

  test(
    'can remove a factor enrolled later only if the host has verified several factors',
    async (app) => {
      const logins = new Map();
      const remove = async (amr: readonly string[]): Promise<HttpResponse> => {
        const { access_token } = logins.get(amr.join()) ?? expect.fail('no such login');
        return callsWith(app, access_token).send('DELETE', TOTP);
      };
      for (const amr of [['email'], ['pop', 'mfa']]) {
        logins.set(amr.join(), tokensOf(await logInByHost(app, 'ada', { amr, scopes: ['auth'] })));
      }
      await enrol(app);
      expect(errorOf(await remove(['email']), 403).error).toBe('insufficient_scope');
      expect((await remove(['pop', 'mfa'])).status).toBe(204);
    },
    { auth: { mfa: { enrolment: true } } },
  );
});
