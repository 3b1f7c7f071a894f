import { expect } from 'vitest';
import type { HttpResponse } from '../hosts/send-request.ts';
import { GRACE_RECOVERY_CODES, type TestApp } from '../support/apps/test-app.ts';
import { codeOf, enrol, logInBy, logInToChallenge, TOTP } from '../support/clients/mfa-calls.ts';
import { listPats, makePat, managerOf, NEW_PAT, PATS } from '../support/clients/pat-calls.ts';
import { answerChallenge, errorOf, tokensOf, totp } from '../support/clients/token-calls.ts';
import { GRACE_TOTP_SECRET } from '../support/clients/users.ts';
import { callsWith, type UserCalls } from '../support/clients/webhook-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { TOTP_STEP_MS } from '../support/time/policy-times.ts';

const enrolment = { auth: { mfa: { enrolment: true } } };

/** The longest lifetime and the widest scopes of a token. */
const LASTING = { ...NEW_PAT, scopes: ['admin', 'internal'], expiration_seconds: 366 * 86_400 };

function seenByClient({ status, body, headers }: HttpResponse) {
  return { status, body, challenge: headers['www-authenticate'] };
}

async function expectRejected(calls: UserCalls): Promise<void> {
  const before = await listPats(calls);
  for (const fields of [NEW_PAT, LASTING, { ...NEW_PAT, account_id: 1 }]) {
    const response = await calls.send('POST', PATS, fields);
    expect(errorOf(response, 403)).toEqual({
      error: 'insufficient_scope',
      error_description: 'This request needs a login by the second factor.',
    });
    expect(response.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", error_description="This request needs a login by the second factor.", scope="auth"',
    );
  }
  expect(await listPats(calls)).toEqual(before);
}

async function graceBy(app: TestApp, code: string): Promise<UserCalls> {
  const fields = { code, scopes: ['auth'] };
  const response = await answerChallenge(app, await logInToChallenge(app, 'grace'), fields);
  return callsWith(app, tokensOf(response).access_token);
}

inEveryCell(
  'a personal access token of a user who has enrolled a factor',
  (test) => {
    test('cannot be created by an earlier login with only the password', async (app) => {
      const thief = await managerOf(app);
      await makePat(thief);
      const { secret } = await enrol(app);
      await expectRejected(thief);
      app.clock.advance(TOTP_STEP_MS);
      await makePat(await logInBy(app, codeOf(app, secret)));
      await expectRejected(thief);
    });

    test('is denied to an earlier login with the same error as a change of the factor, to the byte', async (app) => {
      const thief = await managerOf(app);
      await enrol(app);
      expect(seenByClient(await thief.send('POST', PATS, NEW_PAT))).toEqual(
        seenByClient(await thief.send('DELETE', TOTP)),
      );
    });

    test('can be created by a login that has used or enrolled the factor', async (app) => {
      const { calls, recoveryCodes } = await enrol(app);
      await makePat(calls, LASTING);
      await makePat(await logInBy(app, recoveryCodes[0] ?? ''));
    });

    test('can be created with only the password once the factor is removed', async (app) => {
      const login = await managerOf(app);
      const { calls } = await enrol(app);
      await expectRejected(login);
      expect((await calls.send('DELETE', TOTP)).status).toBe(204);
      await makePat(login);
    });

    test('can be created with only the password by users without a factor', async (app) => {
      await enrol(app);
      app.users.change('alan', { scopes: ['user', 'auth'] });
      await makePat(await managerOf(app, 'alan'));
    });
  },
  enrolment,
);

for (const [where, options] of [
  ['at an app with MFA enrolment', enrolment],
  ['at an app without MFA enrolment', {}],
] as const) {
  inEveryCell(
    `a personal access token of a user with a factor in the user store, ${where}`,
    (test) => {
      test('cannot be created by an earlier login with only the password', async (app) => {
        const thief = await managerOf(app);
        app.users.change('ada', { mfa: { totpSecret: GRACE_TOTP_SECRET } });
        await expectRejected(thief);
        app.users.change('ada', { mfa: null });
        await makePat(thief, LASTING);
      });

      test('can be created by a login that has used the factor, by TOTP or recovery code', async (app) => {
        await makePat(await graceBy(app, totp(app)));
        await makePat(await graceBy(app, GRACE_RECOVERY_CODES[0]));
      });
    },
    options,
  );
}
