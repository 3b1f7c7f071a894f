import { describe, expect, it } from 'vitest';
import type { TestApp } from '../support/apps/test-app.ts';
import { answerChallenge, logIn, pendingChallenge, totp } from '../support/clients/token-calls.ts';
import { countOf, describeRaces, inParallel } from '../support/storage/races.ts';

describeRaces((start, storage) => {
  describe('parallel guesses', () => {
    it.skipIf(storage === 'memory')(
      'are checked at most as often as the name has failures left, in each of three processes',
      async () => {
        const options = { auth: { throttle: {} } };
        const first = await start(options);
        const guess = (app: TestApp) => logIn(app, 'ada', { password: 'wrong' });
        // Of the ten failures that a name has, six are left.
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
  });
});
