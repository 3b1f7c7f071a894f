import { expect } from 'vitest';
import type { HttpResponse } from '../hosts/send-request.ts';
import {
  beginEnrolment,
  CONFIRM,
  codeOf,
  enrol,
  FACTOR_OPERATIONS,
  logInBy,
  RECOVERY_CODES,
  TOTP,
} from '../support/clients/mfa-calls.ts';
import { managerOf } from '../support/clients/pat-calls.ts';
import { errorOf } from '../support/clients/token-calls.ts';
import { GRACE_TOTP_SECRET } from '../support/clients/users.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { TOTP_STEP_MS } from '../support/time/policy-times.ts';

const shared = { auth: { mfa: { enrolment: true } } };

function expectRejection(response: HttpResponse): void {
  expect(errorOf(response, 403)).toEqual({
    error: 'insufficient_scope',
    error_description: 'This request needs a login by the second factor.',
  });
  expect(response.headers['www-authenticate']).toContain('error="insufficient_scope"');
}

inEveryCell(
  'a login with only the password',
  (test) => {
    test('cannot change a factor that was enrolled after it', async (app) => {
      const thief = await managerOf(app);
      const { secret } = await enrol(app);
      for (const [method, path, body] of FACTOR_OPERATIONS) {
        expectRejection(await thief.send(method, path, body));
      }
      app.clock.advance(TOTP_STEP_MS);
      // The factor is unchanged, and its owner may change it.
      const owner = await logInBy(app, codeOf(app, secret));
      expect((await owner.send('DELETE', TOTP)).status).toBe(204);
    });

    test('cannot enrol a factor after the host has added one in the user store', async (app) => {
      const thief = await managerOf(app);
      await beginEnrolment(thief);
      app.users.change('ada', { mfa: { totpSecret: GRACE_TOTP_SECRET } });
      for (const [method, path, body] of FACTOR_OPERATIONS) {
        expectRejection(await thief.send(method, path, body));
      }
    });

    test('cannot confirm an enrolment that it began before another login enrolled', async (app) => {
      const thief = await managerOf(app);
      const enrolment = await beginEnrolment(thief);
      await enrol(app);
      expectRejection(await thief.send('POST', CONFIRM, { code: codeOf(app, enrolment.secret) }));
    });

    test('may change the factor that it has enrolled itself', async (app) => {
      const { calls } = await enrol(app);
      const { secret } = await beginEnrolment(calls);
      app.clock.advance(TOTP_STEP_MS);
      const confirmed = await calls.send('POST', CONFIRM, { code: codeOf(app, secret) });
      expect(confirmed.status).toBe(200);
      expect((await calls.send('POST', RECOVERY_CODES)).status).toBe(200);
      expect((await calls.send('DELETE', TOTP)).status).toBe(204);
    });

    test('may not change a factor that replaced its own', async (app) => {
      const { calls: first, secret } = await enrol(app);
      app.clock.advance(TOTP_STEP_MS);
      const second = await logInBy(app, codeOf(app, secret));
      const enrolment = await beginEnrolment(second);
      const confirmed = await second.send('POST', CONFIRM, { code: codeOf(app, enrolment.secret) });
      expect(confirmed.status).toBe(200);
      expectRejection(await first.send('DELETE', TOTP));
    });

    test('cannot remove the factor in a race with its confirmation', async (app) => {
      const thief = await managerOf(app);
      const owner = await managerOf(app);
      const { secret } = await beginEnrolment(owner);
      const tries = async () => {
        const statuses: number[] = [];
        for (let n = 0; n < 20; n += 1) statuses.push((await thief.send('DELETE', TOTP)).status);
        return statuses;
      };
      const [confirmed, ...tried] = await Promise.all([
        owner.send('POST', CONFIRM, { code: codeOf(app, secret) }),
        ...Array.from({ length: 5 }, tries),
      ]);
      expect(confirmed.status).toBe(200);
      expect(new Set(tried.flat())).not.toContain(204);
      app.clearTranscript();
    });
  },
  shared,
);
