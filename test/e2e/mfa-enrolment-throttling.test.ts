import { expect } from 'vitest';
import {
  beginEnrolment,
  CONFIRM,
  codeOf,
  TOTP,
  wrongCodeOf,
} from '../support/clients/mfa-calls.ts';
import { managerOf } from '../support/clients/pat-calls.ts';
import { errorOf, NOT_FOUND_BODY } from '../support/clients/token-calls.ts';
import { bodyOf } from '../support/clients/webhook-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const shared = { auth: { mfa: { enrolment: true } } };

inEveryCell(
  'enrolling a factor',
  (test) => {
    test('checks twenty codes in ten minutes, and then rejects even the right code', async (app) => {
      const calls = await managerOf(app);
      const { secret } = await beginEnrolment(calls);
      const beganMs = performance.now();
      for (let i = 0; i < 20; i += 1) {
        const response = await calls.send('POST', CONFIRM, {
          code: wrongCodeOf(app, secret, 5 + i),
        });
        expect(errorOf(response).error).toBe('invalid_grant');
      }
      const rejected = await calls.send('POST', CONFIRM, { code: codeOf(app, secret) });
      expect(errorOf(rejected, 429).error).toBe('too_many_requests');
      const passedSeconds = Math.ceil((performance.now() - beganMs) / 1000);
      const retryAfter = Number(rejected.headers['retry-after']);
      expect(retryAfter).toBeGreaterThanOrEqual(600 - passedSeconds);
      expect(retryAfter).toBeLessThanOrEqual(600);
      expect(app.events.filter(({ type }) => type === 'enrolment.failed')).toMatchObject([
        ...Array.from({ length: 20 }, () => ({ userId: 'ada', reason: 'wrong_code' })),
        { userId: 'ada', reason: 'too_many' },
      ]);
    });

    test('is not blocked for the owner by the failed enrolments of another login', async (app) => {
      const owner = await managerOf(app);
      const { secret } = await beginEnrolment(owner);
      const other = await managerOf(app);
      // The owner's enrolment is not pending for the other login.
      for (let i = 0; i < 25; i += 1) {
        const response = await other.send('POST', CONFIRM, { code: codeOf(app, secret) });
        expect([response.status, response.body]).toEqual([404, NOT_FOUND_BODY]);
      }
      const theirs = await beginEnrolment(other);
      for (let i = 0; i < 20; i += 1) {
        await other.send('POST', CONFIRM, { code: wrongCodeOf(app, theirs.secret, 5 + i) });
      }
      for (let i = 0; i < 19; i += 1) await beginEnrolment(other);
      expect((await other.send('POST', TOTP)).status).toBe(429);
      // The owner's enrolment is still pending, and the owner could begin another.
      await beginEnrolment(await managerOf(app));
      bodyOf(await owner.send('POST', CONFIRM, { code: codeOf(app, secret) }), 200);
      const late = await other.send('POST', CONFIRM, { code: codeOf(app, theirs.secret) });
      expect(errorOf(late, 403).error).toBe('insufficient_scope');
    });

    test('checks twenty of sixty parallel guesses', async (app) => {
      const calls = await managerOf(app);
      const { secret } = await beginEnrolment(calls);
      const guesses = Array.from({ length: 60 }, (_, i) => wrongCodeOf(app, secret, 5 + i));
      const responses = await Promise.all(
        guesses.map((code) => calls.send('POST', CONFIRM, { code })),
      );
      expect(responses.filter(({ status }) => status === 400)).toHaveLength(20);
      app.clearTranscript();
    });

    test('can be begun twenty times in ten minutes by each login', async (app) => {
      app.users.change('alan', { scopes: ['user', 'auth'] });
      const calls = await managerOf(app);
      for (let i = 0; i < 20; i += 1) await beginEnrolment(calls);
      expect(errorOf(await calls.send('POST', TOTP), 429).error).toBe('too_many_requests');
      expect(app.events.at(-1)).toMatchObject({ type: 'enrolment.failed', reason: 'too_many' });
      await beginEnrolment(await managerOf(app));
      await beginEnrolment(await managerOf(app, 'alan'));
    });
  },
  shared,
);
