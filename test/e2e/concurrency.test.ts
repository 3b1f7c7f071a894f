import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Answer } from '../hosts/send-request.ts';
import {
  GRACE_RECOVERY_CODES,
  startTestApp,
  type TestApp,
  type TestAppOptions,
} from '../support/apps/test-app.ts';
import {
  answerChallenge,
  type ErrorBody,
  errorOf,
  JSON_TYPE,
  logIn,
  pendingChallenge,
  refresh,
  revoke,
  session,
  tokensOf,
  totp,
  wrongCode,
} from '../support/clients/token-calls.ts';
import { CELLS, cellsOn, describeCells } from '../support/storage/in-every-cell.ts';

const RACES = 100;

function inParallel<Result>(times: number, run: (index: number) => Promise<Result>) {
  return Promise.all(Array.from({ length: times }, (_, index) => run(index)));
}

function countOf(answers: readonly Answer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

/** Logs in through the proxy that the app trusts. */
function logInFrom(app: TestApp, address: string, password: string): Promise<Answer> {
  const headers = [...JSON_TYPE, 'x-forwarded-for', address];
  const body = JSON.stringify({ username: 'ada@example.com', password });
  return app.send({ method: 'POST', path: '/token', headers, body });
}

/** The addresses whose logins were shed, each with the reason. */
function shed(app: TestApp): readonly string[] {
  return app.events.flatMap((event) =>
    event.type === 'login.shed' ? `${event.clientAddress} ${event.reason}` : [],
  );
}

describeCells([...CELLS, ...cellsOn(['cluster'])], (cell) => {
  async function start(options: TestAppOptions = {}): Promise<TestApp> {
    const app = await startTestApp(cell, options);
    onTestFinished(() => app.stop());
    return app;
  }

  describe('parallel refreshes', () => {
    it('answers one successor to 200 with one token', async () => {
      const app = await start();
      const { refresh_token } = await session(app);
      const answers = await inParallel(200, () => refresh(app, refresh_token));
      const successors = new Set(answers.map((answer) => tokensOf(answer).refresh_token));
      expect(successors.size).toBe(1);
      const [successor = ''] = successors;
      expect((await refresh(app, successor)).status).toBe(200);
      const rotations = app.events.filter(
        (event) => event.type === 'session.refreshed' && !event.replayed,
      );
      expect(rotations).toHaveLength(2);
    });

    // Memory and PGlite belong to one process.
    if (cell.storage !== 'memory' && cell.storage !== 'pglite') {
      it('answers one over two processes too', async () => {
        const one = await start();
        const two = await start({ beside: one });
        const { refresh_token } = await session(one);
        const answers = await inParallel(100, (index) =>
          refresh(index % 2 === 0 ? one : two, refresh_token),
        );
        expect(new Set(answers.map((answer) => tokensOf(answer).refresh_token)).size).toBe(1);
      });
    }

    it('answers different scopes alike, except for the scopes', async () => {
      const app = await start();
      const { refresh_token } = await session(app, 'ada', { scopes: 'user,admin' });
      const answers = await inParallel(20, (index) =>
        refresh(app, refresh_token, { scopes: index % 2 === 0 ? 'user' : 'admin' }),
      );
      const tokens = answers.map(tokensOf);
      expect(new Set(tokens.map((each) => each.refresh_token)).size).toBe(1);
      expect(tokens.map(({ scope }) => scope)).toEqual(
        tokens.map((_, index) => (index % 2 === 0 ? 'user' : 'admin')),
      );
    });

    it('ends the session where one of them is two generations old', async () => {
      const app = await start();
      const first = await session(app);
      const second = tokensOf(await refresh(app, first.refresh_token));
      const third = tokensOf(await refresh(app, second.refresh_token));
      const [old] = await Promise.all([
        refresh(app, first.refresh_token),
        ...Array.from({ length: 10 }, () => refresh(app, third.refresh_token)),
      ]);
      expect(errorOf(old as Answer).error).toBe('invalid_grant');
      for (const { refresh_token } of [first, second, third]) {
        expect((await refresh(app, refresh_token)).status).toBe(400);
      }
    });

    it('replays at 59 s, and detects reuse at 61 s', async () => {
      const app = await start();
      const { refresh_token } = await session(app);
      const successor = tokensOf(await refresh(app, refresh_token)).refresh_token;
      app.clock.advance(59_000);
      const replays = await inParallel(10, () => refresh(app, refresh_token));
      expect(new Set(replays.map((each) => tokensOf(each).refresh_token))).toEqual(
        new Set([successor]),
      );
      app.clock.advance(2_000);
      const reuses = await inParallel(10, () => refresh(app, refresh_token));
      expect(countOf(reuses, 400)).toBe(10);
      expect(app.events.filter(({ type }) => type === 'session.reused')).toHaveLength(1);
      expect((await refresh(app, successor)).status).toBe(400);
    });
  });

  describe('a refresh against the end of its session', () => {
    it(`never succeeds after a revocation was acknowledged, in ${RACES} races`, async () => {
      const app = await start();
      const races = await inParallel(RACES, async (index) => {
        const { refresh_token, access_token } = await session(app);
        let acknowledged = false;
        const ending = revoke(app, index % 2 === 0 ? refresh_token : access_token).then(
          ({ status }) => {
            acknowledged = status === 200;
          },
        );
        let newest = refresh_token;
        const survivors: string[] = [];
        for (let time = 0; time < 4; time += 1) {
          const wasAcknowledged = acknowledged;
          const answer = await refresh(app, newest);
          if (answer.status !== 200) continue;
          newest = tokensOf(answer).refresh_token;
          if (wasAcknowledged) survivors.push(newest);
        }
        await ending;
        expect(acknowledged).toBe(true);
        const after = await refresh(app, newest);
        return after.status === 400 ? survivors : [...survivors, newest];
      });
      expect(races.flat()).toEqual([]);
    });

    it('never succeeds after the host has ended all, or disabled the user', async () => {
      const app = await start({ auth: { maxSessionsPerUser: 1000 } });
      const sessions = await inParallel(50, () => session(app));
      const racing = sessions.map(({ refresh_token }) => refresh(app, refresh_token));
      await app.auth.sessions.revokeAll('ada');
      const after = await inParallel(50, (index) =>
        refresh(app, sessions[index]?.refresh_token ?? ''),
      );
      expect(countOf(after, 400)).toBe(50);
      for (const answer of await Promise.all(racing)) {
        if (answer.status !== 200) continue;
        expect((await refresh(app, tokensOf(answer).refresh_token)).status).toBe(400);
      }
      app.clock.advance(1);
      const fresh = await session(app);
      app.users.change('ada', { disabled: true });
      const disabled = await inParallel(10, () => refresh(app, fresh.refresh_token));
      expect(countOf(disabled, 400)).toBe(10);
    });
  });

  describe('parallel guesses', () => {
    it('at one challenge: five of a hundred are checked', async () => {
      const app = await start();
      const challenge = await pendingChallenge(app);
      const code = wrongCode(app);
      const answers = await inParallel(100, () => answerChallenge(app, challenge, { code }));
      const errors = answers.map((answer): ErrorBody => errorOf(answer));
      expect(new Set(errors.map(({ error }) => error))).toEqual(new Set(['invalid_grant']));
      const left = errors.flatMap((error) => error.attempts_remaining ?? []).sort();
      expect(left).toEqual([0, 1, 2, 3, 4]);
      const judged = app.events.filter(
        (event) => event.type === 'challenge.failed' && event.reason === 'wrong_code',
      );
      expect(judged).toHaveLength(5);
      expect((await answerChallenge(app, challenge, { code: totp(app) })).status).toBe(400);
    });

    it('over 40 challenges: ten are checked, and the factor is locked', async () => {
      const app = await start();
      const challenges = await inParallel(40, () => pendingChallenge(app));
      const code = wrongCode(app);
      const answers = await inParallel(40, (index) =>
        answerChallenge(app, challenges[index] ?? '', { code }),
      );
      expect([countOf(answers, 400), countOf(answers, 429)]).toEqual([10, 30]);
      const locked = await answerChallenge(app, challenges[0] ?? '', { code: totp(app) });
      expect(locked.status).toBe(429);
    });

    it('with one right TOTP code on many challenges: one is let in', async () => {
      const app = await start();
      const challenges = await inParallel(9, () => pendingChallenge(app));
      const code = totp(app);
      const answers = await inParallel(9, (index) =>
        answerChallenge(app, challenges[index] ?? '', { code }),
      );
      expect([countOf(answers, 200), countOf(answers, 400)]).toEqual([1, 8]);
      expect(await app.auth.sessions.list('grace')).toHaveLength(1);
    });

    it('with one right code on one challenge: one is let in', async () => {
      const app = await start();
      const challenge = await pendingChallenge(app);
      const answers = await inParallel(20, () =>
        answerChallenge(app, challenge, { code: totp(app) }),
      );
      expect([countOf(answers, 200), countOf(answers, 400)]).toEqual([1, 19]);
      expect(await app.auth.sessions.list('grace')).toHaveLength(1);
    });

    it('with one recovery code on many challenges: one is let in', async () => {
      const app = await start();
      const challenges = await inParallel(9, () => pendingChallenge(app));
      const [code] = GRACE_RECOVERY_CODES;
      const answers = await inParallel(9, (index) =>
        answerChallenge(app, challenges[index] ?? '', { code }),
      );
      expect(countOf(answers, 200)).toBe(1);
      expect(await app.auth.sessions.list('grace')).toHaveLength(1);
    });
  });

  it('lets a login of another address have its turn when one address fills the queue', async () => {
    const verified: string[] = [];
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const app = await start({
      behindProxy: true,
      passwords: {
        concurrency: 1,
        // A hundred places, by the time that a hash is assumed to take until one has been measured.
        maxWaitMs: 2_000,
        async verifier(user, password) {
          verified.push(password);
          await released;
          return user !== null;
        },
      },
    });
    // However long the machine takes for a hundred requests, none has waited for two seconds.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => clock.mockRestore());
    const untilShed = (number: number) => expect.poll(() => shed(app)).toHaveLength(number);

    const crowd = inParallel(1 + 100 + 1, () => logInFrom(app, '192.0.2.1', 'one of a crowd'));
    await untilShed(1);
    const single = logInFrom(app, '198.51.100.1', 'single');
    await untilShed(2);
    release();

    expect((await single).status).toBe(200);
    expect(verified.indexOf('single')).toBeLessThanOrEqual(2);
    const answers = await crowd;
    expect([countOf(answers, 200), countOf(answers, 503)]).toEqual([100, 2]);
    expect(new Set(shed(app))).toEqual(new Set(['192.0.2.1 queue_full']));
  });

  it('keeps as many sessions as the cap, however many logins are parallel', async () => {
    const app = await start({ auth: { maxSessionsPerUser: 5 } });
    const answers = await inParallel(30, () => logIn(app, 'ada'));
    expect(countOf(answers, 200)).toBe(30);
    expect(await app.auth.sessions.list('ada')).toHaveLength(5);
    const refreshed = await inParallel(30, (index) =>
      refresh(app, tokensOf(answers[index] as Answer).refresh_token),
    );
    expect(countOf(refreshed, 200)).toBe(5);
  });
});
