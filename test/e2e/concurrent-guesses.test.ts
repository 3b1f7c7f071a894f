import { describe, expect, it } from 'vitest';
import { GRACE_RECOVERY_CODES, type TestApp } from '../support/apps/test-app.ts';
import {
  answerChallenge,
  type ErrorBody,
  errorOf,
  logIn,
  pendingChallenge,
  totp,
  wrongCode,
} from '../support/clients/token-calls.ts';
import { countOf, describeRaces, inParallel } from '../support/storage/races.ts';

describeRaces((start, storage) => {
  describe('parallel guesses', () => {
    it.skipIf(storage === 'memory')(
      'are checked at most as often as the name has failures left, in each of three processes',
      async () => {
        const options = { auth: { throttle: {} } };
        const first = await start(options);
        const guess = (app: TestApp) => logIn(app, 'ada', { password: 'wrong' });
        for (let time = 0; time < 4; time += 1) expect((await guess(first)).status).toBe(400);
        const sharedOptions = { ...options, sharedWith: first };
        const processes = [first, await start(sharedOptions), await start(sharedOptions)];
        const responses = await Promise.all(
          processes.map((app) => inParallel(30, () => guess(app))),
        );
        const checked = responses.map((each) => countOf(each, 400));
        for (const count of checked) expect(count).toBeLessThanOrEqual(6);
        expect(Math.max(...checked)).toBeGreaterThanOrEqual(2);
        expect((await logIn(first, 'ada')).status).toBe(429);
      },
    );

    it('are checked only five times at one challenge', async () => {
      const app = await start();
      const challenge = await pendingChallenge(app);
      const code = wrongCode(app);
      const responses = await inParallel(100, () => answerChallenge(app, challenge, { code }));
      const errors = responses.map((response): ErrorBody => errorOf(response));
      expect(new Set(errors.map(({ error }) => error))).toEqual(new Set(['invalid_grant']));
      const remaining = errors.flatMap((error) => error.attempts_remaining ?? []).sort();
      expect(remaining).toEqual([0, 1, 2, 3, 4]);
      const checked = app.events.filter(
        (event) => event.type === 'challenge.failed' && event.reason === 'wrong_code',
      );
      expect(checked).toHaveLength(5);
      expect((await answerChallenge(app, challenge, { code: totp(app) })).status).toBe(400);
    });

    it('are checked only ten times over 40 challenges, and lock the factor', async () => {
      const app = await start();
      const challenges = await inParallel(40, () => pendingChallenge(app));
      const code = wrongCode(app);
      const responses = await inParallel(40, (index) =>
        answerChallenge(app, challenges[index] ?? '', { code }),
      );
      expect([countOf(responses, 400), countOf(responses, 429)]).toEqual([10, 30]);
      const locked = await answerChallenge(app, challenges[0] ?? '', { code: totp(app) });
      expect(locked.status).toBe(429);
    });

    it('log in once with one TOTP code on nine challenges', async () => {
      const app = await start();
      const challenges = await inParallel(9, () => pendingChallenge(app));
      const code = totp(app);
      const responses = await inParallel(9, (index) =>
        answerChallenge(app, challenges[index] ?? '', { code }),
      );
      expect([countOf(responses, 200), countOf(responses, 400)]).toEqual([1, 8]);
      expect(await app.auth.sessions.list('grace')).toHaveLength(1);
    });

    it('log in once with one TOTP code on one challenge', async () => {
      const app = await start();
      const challenge = await pendingChallenge(app);
      const responses = await inParallel(20, () =>
        answerChallenge(app, challenge, { code: totp(app) }),
      );
      expect([countOf(responses, 200), countOf(responses, 400)]).toEqual([1, 19]);
      expect(await app.auth.sessions.list('grace')).toHaveLength(1);
    });

    it('log in once with one recovery code on nine challenges', async () => {
      const app = await start();
      const challenges = await inParallel(9, () => pendingChallenge(app));
      const [code] = GRACE_RECOVERY_CODES;
      const responses = await inParallel(9, (index) =>
        answerChallenge(app, challenges[index] ?? '', { code }),
      );
      expect(countOf(responses, 200)).toBe(1);
      expect(await app.auth.sessions.list('grace')).toHaveLength(1);
    });
  });
});
