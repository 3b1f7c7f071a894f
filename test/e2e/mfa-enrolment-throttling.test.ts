import { expect } from 'vitest';
import { begin, CONFIRM, codeOf, TOTP, wrongCodeOf } from '../support/clients/mfa-calls.ts';
import { managerOf } from '../support/clients/pat-calls.ts';
import { errorOf } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const shared = { auth: { mfa: { enrolment: true } } };

inEveryCell(
  'enrolling a factor',
  (claim) => {
    claim('takes twenty codes in ten minutes, and then not even the right one', async (app) => {
      const calls = await managerOf(app);
      const { secret } = await begin(calls);
      const beganMs = performance.now();
      for (let nth = 0; nth < 20; nth += 1) {
        const answer = await calls.send('POST', CONFIRM, {
          code: wrongCodeOf(app, secret, 5 + nth),
        });
        expect(errorOf(answer).error).toBe('invalid_grant');
      }
      // By a second login as well: attempts are counted by user.
      for (const each of [calls, await managerOf(app)]) {
        const refused = await each.send('POST', CONFIRM, { code: codeOf(app, secret) });
        expect(errorOf(refused, 429).error).toBe('too_many_requests');
        const passedSeconds = Math.ceil((performance.now() - beganMs) / 1000);
        const retryAfter = Number(refused.headers['retry-after']);
        expect(retryAfter).toBeGreaterThanOrEqual(600 - passedSeconds);
        expect(retryAfter).toBeLessThanOrEqual(600);
      }
    });

    claim('cannot be guessed by many at once', async (app) => {
      const calls = await managerOf(app);
      const { secret } = await begin(calls);
      const guesses = Array.from({ length: 60 }, (_, nth) => wrongCodeOf(app, secret, 5 + nth));
      const answers = await Promise.all(
        guesses.map((code) => calls.send('POST', CONFIRM, { code })),
      );
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(20);
      app.forgetAnswers();
    });

    claim('is begun twenty times in ten minutes at most, by each user', async (app) => {
      app.users.change('alan', { scopes: ['user', 'auth'] });
      const calls = await managerOf(app);
      for (let nth = 0; nth < 20; nth += 1) await begin(calls);
      expect(errorOf(await calls.send('POST', TOTP), 429).error).toBe('too_many_requests');
      await begin(await managerOf(app, 'alan'));
    });
  },
  shared,
);
