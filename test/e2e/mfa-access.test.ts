import { expect, onTestFinished } from 'vitest';
import { startTestApp } from '../support/apps/test-app.ts';
import {
  beginEnrolment,
  enrol,
  FACTOR_OPERATIONS,
  logInBy,
  logInToChallenge,
  RECOVERY_CODES,
  TOTP,
} from '../support/clients/mfa-calls.ts';
import { makePat, managerOf } from '../support/clients/pat-calls.ts';
import {
  answerChallenge,
  challengeOf,
  errorOf,
  logIn,
  NOT_FOUND_BODY,
  session,
  tokensOf,
  totp,
} from '../support/clients/token-calls.ts';
import { GRACE_TOTP_SECRET } from '../support/clients/users.ts';
import { callsOf, callsWith } from '../support/clients/webhook-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { RECENT_LOGIN_MS, SECOND_MS } from '../support/time/policy-times.ts';

const shared = { auth: { mfa: { enrolment: true } } };

inEveryCell(
  'the routes for second factors',
  (test) => {
    test('need a login of the last five minutes', async (app) => {
      const calls = await managerOf(app);
      // The claim `auth_time` is in seconds.
      app.clock.advance(RECENT_LOGIN_MS - SECOND_MS);
      await beginEnrolment(calls);
      app.clock.advance(SECOND_MS + 1);
      for (const [method, path, body] of FACTOR_OPERATIONS) {
        const response = await calls.send(method, path, body);
        expect(errorOf(response, 403)).toEqual({
          error: 'insufficient_scope',
          error_description: 'This request needs a login of the last five minutes.',
        });
        expect(response.headers['www-authenticate']).toMatch(
          /^Bearer error="insufficient_scope", .*scope="auth", max_age="300"$/,
        );
      }
    });

    test('need an access token with the scope auth', async (app) => {
      const user = await callsOf(app, 'ada', { scopes: 'user,admin,internal' });
      const { token } = await makePat(await managerOf(app));
      for (const [method, path, body] of FACTOR_OPERATIONS) {
        const weak = await user.send(method, path, body);
        expect(errorOf(weak, 403).error).toBe('insufficient_scope');
        expect(weak.headers['www-authenticate']).toContain('scope="auth"');
        const byPat = await callsWith(app, token).send(method, path, body);
        expect(byPat.status).toBe(403);
        expect(errorOf(await app.send({ method, path }), 401).error).toBe('invalid_token');
      }
    });

    test('check the user in the user store at each request', async (app) => {
      for (const change of [{ disabled: true }, { passwordChangedAtMs: app.clock.nowMs() + 1 }]) {
        const calls = await managerOf(app);
        app.users.change('ada', change);
        for (const [method, path, body] of FACTOR_OPERATIONS) {
          const response = await calls.send(method, path, body);
          expect(errorOf(response, 401).error).toBe('invalid_token');
        }
        app.users.change('ada', { disabled: false, passwordChangedAtMs: 0 });
      }
    });

    test('accept a login in the same second as the sign-up, which counts as a change of the password', async (app) => {
      app.users.change('ada', { passwordChangedAtMs: app.clock.nowMs() });
      await beginEnrolment(await managerOf(app));
    });

    test('respond with 404 if no factor is enrolled', async (app) => {
      const calls = await managerOf(app);
      await beginEnrolment(calls);
      for (const [method, path] of [
        ['POST', RECOVERY_CODES],
        ['DELETE', TOTP],
      ] as const) {
        const response = await calls.send(method, path);
        expect([response.status, response.body]).toEqual([404, NOT_FOUND_BODY]);
      }
    });

    test('respond with 409 to an enrolment and 404 to other changes if the user store has the factor', async (app) => {
      const fields = { code: totp(app), scopes: ['auth'] };
      const response = await answerChallenge(app, await logInToChallenge(app, 'grace'), fields);
      const grace = callsWith(app, tokensOf(response).access_token);
      for (const [method, path, body] of FACTOR_OPERATIONS) {
        const status = path === RECOVERY_CODES || method === 'DELETE' ? 404 : 409;
        const error = status === 409 ? 'limit_reached' : 'not_found';
        expect(errorOf(await grace.send(method, path, body), status).error).toBe(error);
      }
      const login = await answerChallenge(app, await logInToChallenge(app, 'grace'), {
        code: 'GRAC-EAAA-AAAA-2222',
      });
      tokensOf(login);
    });

    test('respond with 404 for an enrolled factor if the user store has one too, which takes precedence', async (app) => {
      await enrol(app);
      app.users.change('ada', { mfa: { totpSecret: GRACE_TOTP_SECRET } });
      const calls = await logInBy(app, totp(app));
      for (const [method, path] of [
        ['POST', RECOVERY_CODES],
        ['DELETE', TOTP],
      ] as const) {
        const response = await calls.send(method, path);
        expect([response.status, response.body]).toEqual([404, NOT_FOUND_BODY]);
      }
    });
  },
  shared,
);

inEveryCell('an app without MFA enrolment', (test) => {
  test('has no routes for second factors', async (app) => {
    const { access_token } = await session(app, 'ada', { scopes: 'auth' });
    for (const [method, path, body] of FACTOR_OPERATIONS) {
      expect(app.auth.http.owns(path)).toBe(false);
      expect((await callsWith(app, access_token).send(method, path, body)).status).toBe(404);
    }
    expect(await app.auth.factors.remove('ada')).toBe(false);
  });

  test('can remove a factor that was enrolled at another process', async (app) => {
    const { storage } = app.cellStorage;
    const enrolling = await startTestApp(app.cell, {
      ...shared,
      sharedWith: app,
      wrapStorage: () => storage,
    });
    onTestFinished(() => enrolling.stop());
    await enrol(enrolling);
    challengeOf(await logIn(enrolling, 'ada'));
    expect(await app.auth.factors.remove('ada')).toBe(true);
    tokensOf(await logIn(enrolling, 'ada'));
  });
});
