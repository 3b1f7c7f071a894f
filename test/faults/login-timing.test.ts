import { memoryStorage } from '@latchhook/core';
import { expect, it } from 'vitest';
import type { AppResponse } from '../support/apps/app-client.ts';
import { startHostApp } from '../support/apps/start-host-app.ts';
import { startStarter } from '../support/apps/start-starter.ts';
import { testUsers } from '../support/clients/users.ts';
import { reportFigures } from './report-figures.ts';

const ROUNDS = 200;
/** The allowed difference, as a share of the time for a wrong password. */
const LOGIN_SHARE = 0.05;
const CHALLENGE_DIFFERENCE_MS = 1;
const ATTEMPTS_A_CHALLENGE = 5;

// The tests compare floors, not medians: an attacker uses the quickest of many requests, the others vary with the load.

it('a login of an unknown or disabled user takes as long as one with a wrong password', async () => {
  const { client } = await startStarter('express-starter', { env: { LOGIN_THROTTLE: 'off' } });
  const tookMs = { wrong: [0], unknown: [0], disabled: [0] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const wrong = await client.login('alan@example.com', { password: 'not the password' });
    const unknown = await client.login('nobody@example.com', { password: 'not the password' });
    const disabled = await client.login('kurt@example.com');
    expect(shapeOf(unknown)).toEqual(shapeOf(wrong));
    expect(shapeOf(disabled)).toEqual(shapeOf(wrong));
    tookMs.wrong[round] = wrong.tookMs;
    tookMs.unknown[round] = unknown.tookMs;
    tookMs.disabled[round] = disabled.tookMs;
  }
  const [wrong, unknown, disabled] = [tookMs.wrong, tookMs.unknown, tookMs.disabled].map(floor);
  const share = (other = 0) => Math.abs(other - (wrong ?? 0)) / (wrong ?? 1);
  reportFigures(`${ROUNDS} rejected logins of each kind, floors`, {
    wrongMs: wrong?.toFixed(2),
    unknownMs: unknown?.toFixed(2),
    disabledMs: disabled?.toFixed(2),
    unknownDiffers: `${(100 * share(unknown)).toFixed(1)} %`,
    disabledDiffers: `${(100 * share(disabled)).toFixed(1)} %`,
  });
  expect(share(unknown)).toBeLessThan(LOGIN_SHARE);
  expect(share(disabled)).toBeLessThan(LOGIN_SHARE);
});

it('a code for a used-up challenge takes as long as a wrong code', async () => {
  const { auth, client } = await startHostApp({
    users: await testUsers(),
    storage: memoryStorage(),
    throttle: false,
    passwords: { verifier: async (user) => user !== null },
    onSecurityEvent: () => {},
  });
  const challenge = async () => String((await client.login('grace@example.com')).body['challenge']);
  const dead = await challenge();
  for (let attempt = 0; attempt < ATTEMPTS_A_CHALLENGE; attempt += 1) {
    await client.answerChallenge(dead, '000000');
  }
  let live = await challenge();
  const tookMs = { wrong: [0], dead: [0] };
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round % ATTEMPTS_A_CHALLENGE === 0) {
      // The live challenge is used up, and wrong codes soon lock the factor.
      await auth.factors.unlock('grace');
      live = await challenge();
    }
    tookMs.wrong[round] = (await client.answerChallenge(live, '000000')).tookMs;
    const answer = await client.answerChallenge(dead, '000000');
    expect(answer.body).not.toHaveProperty('attempts_remaining');
    tookMs.dead[round] = answer.tookMs;
  }
  const [wrong, gone] = [floor(tookMs.wrong), floor(tookMs.dead)];
  reportFigures(`${ROUNDS} answered challenges of each kind, floors`, {
    wrongCodeMs: wrong.toFixed(2),
    deadMs: gone.toFixed(2),
  });
  expect(Math.abs(wrong - gone)).toBeLessThan(CHALLENGE_DIFFERENCE_MS);
});

/** The mean of the quickest twentieth, which varies less than the minimum. */
function floor(values: readonly number[]): number {
  const quickest = [...values].sort((a, b) => a - b).slice(0, Math.ceil(values.length / 20));
  return quickest.reduce((sum, value) => sum + value, 0) / quickest.length;
}

function shapeOf({ status, headers, body }: AppResponse): object {
  const { date: _date, ...rest } = headers;
  return { status, headers: rest, body };
}
