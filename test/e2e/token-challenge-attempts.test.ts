import { expect } from 'vitest';
import type { TestApp } from '../support/apps/test-app.ts';
import { expectDeadChallenge } from '../support/clients/expect-dead-challenge.ts';
import {
  answerChallenge,
  errorOf,
  logIn,
  pendingChallenge,
  totp,
  wrongCode,
} from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

async function guess(app: TestApp, challenge: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const response = await answerChallenge(app, challenge, { code: wrongCode(app) });
    expect(errorOf(response).error).toBe('invalid_grant');
  }
}

/** Sends `times` wrong codes, with a new challenge whenever one has no attempts left. */
async function fail(app: TestApp, times: number): Promise<void> {
  for (let remaining = times; remaining > 0; remaining -= 5) {
    await guess(app, await pendingChallenge(app), Math.min(5, remaining));
  }
}

inEveryCell('attempts at POST /token/challenge', (test) => {
  test('are counted down in attempts_remaining from five per challenge', async (app) => {
    const challenge = await pendingChallenge(app);
    const remaining: unknown[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const response = await answerChallenge(app, challenge, { code: wrongCode(app) });
      remaining.push(errorOf(response).attempts_remaining);
    }
    expect(remaining).toEqual([4, 3, 2, 1, 0]);
    await expectDeadChallenge(app, challenge);
  });

  test('lock the factor for 15 minutes after ten failures over all challenges', async (app) => {
    const pending = await pendingChallenge(app);
    await fail(app, 10);
    const locked = await answerChallenge(app, pending, { code: totp(app) });
    expect(errorOf(locked, 429).error).toBe('too_many_requests');
    expect(locked.headers['retry-after']).toBe('900');
    app.clock.advance(899_000);
    const beforeUnlock = await answerChallenge(app, await pendingChallenge(app), {
      code: totp(app),
    });
    expect(beforeUnlock.headers['retry-after']).toBe('1');
    app.clock.advance(1000);
    const unlocked = await answerChallenge(app, await pendingChallenge(app), { code: totp(app) });
    expect(unlocked.status).toBe(200);
  });

  test('lock the factor for twice as long each time, up to a day', async (app) => {
    const locks: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      await fail(app, 10);
      const challenge = await pendingChallenge(app);
      const { headers } = await answerChallenge(app, challenge, { code: totp(app) });
      const seconds = Number(headers['retry-after']);
      locks.push(seconds / 60);
      app.clock.advance(seconds * 1000);
    }
    expect(locks).toEqual([15, 30, 60, 120, 240, 480, 960, 1440, 1440]);
  });

  test('lock no login by password after ten failures', async (app) => {
    await fail(app, 10);
    expect((await logIn(app, 'grace')).status).toBe(401);
  });

  test('can be reset by the host', async (app) => {
    await fail(app, 10);
    await app.auth.factors.unlock('grace');
    const challenge = await pendingChallenge(app);
    expect((await answerChallenge(app, challenge, { code: totp(app) })).status).toBe(200);
  });
});
