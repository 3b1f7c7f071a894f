import { setTimeout as elapsed } from 'node:timers/promises';
import { expect } from 'vitest';
import { type AppResponse, tokensOf } from '../../support/apps/app-client.ts';
import type { RestartableApp } from '../../support/apps/start-starter.ts';
import type { Outage } from './outages.ts';

const ANSWER_BOUND_MS = 2_000;
const RECOVERY_BOUND_MS = 2_000;
/** Long enough to distinguish a slow recovery from none, ms. */
const GIVE_UP_MS = 20_000;
const SESSIONS = 5;
const PAUSE_MS = 100;
/** A response within this time of the end of the outage may belong to either side of it, ms. */
const BLUR_MS = 50;

export interface OutageFigures {
  readonly responses: number;
  readonly slowestMs: number;
  readonly recoveredAfterMs: number;
}

interface TimedResponse {
  readonly call: 'login' | 'refresh' | 'challenge' | 'revoke' | 'me' | 'admin';
  readonly response: AppResponse;
  readonly atMs: number;
}

/**
 * Sends one request of each kind repeatedly during an outage, and checks the responses. Then it checks that nobody is
 * locked out.
 */
export async function surviveOutage<App extends RestartableApp>(
  starter: App,
  outage: Outage<App>,
  lengthMs: number,
): Promise<OutageFigures> {
  const { client } = starter;
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => login('alan')));
  const user = await login('ada');
  const admin = await login('ada', { scopes: 'user,admin' });
  const ending = await login('alan');
  const { challenge } = (await client.login('grace@example.com')).body;
  expect((await client.adminReport(admin.accessToken)).status).toBe(200);

  const responses: TimedResponse[] = [];
  const end = await outage.begin(starter);
  let endedAtMs: number | undefined;
  const ended = elapsed(lengthMs)
    .then(end)
    .then(() => {
      endedAtMs = performance.now();
      return endedAtMs;
    });
  while (endedAtMs === undefined) {
    await Promise.all([
      ...sessions.map(({ refreshToken }) => ask('refresh', client.refresh(refreshToken))),
      ask('login', client.login('ada@example.com')),
      ask('challenge', client.answerChallenge(String(challenge), '123456')),
      ask('revoke', client.revoke(ending.refreshToken)),
      ask('me', client.me(user.accessToken)),
      ask('admin', client.adminReport(admin.accessToken)),
    ]);
    await elapsed(PAUSE_MS);
  }
  const endMs = await ended;
  const recoveredAfterMs = (await untilRefreshed(sessions[0]?.refreshToken ?? '')) - endMs;

  for (const timed of responses) {
    expect.soft(timed.response.tookMs, `${timed.call} took`).toBeLessThan(ANSWER_BOUND_MS);
    if (timed.atMs < endMs - BLUR_MS) expectAnswer(timed, outage);
  }
  expect(recoveredAfterMs).toBeLessThan(RECOVERY_BOUND_MS);

  for (const { refreshToken } of sessions) {
    // The token has one successor, whether or not a refresh during the outage rotated it.
    const retries = [await client.refresh(refreshToken), await client.refresh(refreshToken)];
    const successors = retries.map((response) => tokensOf(response).refreshToken);
    expect(new Set(successors).size).toBe(1);
  }
  expect((await client.adminReport(admin.accessToken)).status).toBe(200);
  expect((await client.login('ada@example.com')).status).toBe(200);
  // A client that got 503 can repeat the revocation, and a 200 was true.
  expect((await client.revoke(ending.refreshToken)).status).toBe(200);
  expect((await client.refresh(ending.refreshToken)).status).toBe(400);
  expect(starter.app().hasExited()).toBe(false);
  expect(starter.app().output()).not.toMatch(/unhandled|uncaught/i);

  return {
    responses: responses.length,
    slowestMs: Math.round(Math.max(...responses.map(({ response }) => response.tookMs))),
    recoveredAfterMs: Math.max(0, Math.round(recoveredAfterMs)),
  };

  async function login(name: string, fields: object = {}) {
    return tokensOf(await client.login(`${name}@example.com`, fields));
  }

  async function ask(call: TimedResponse['call'], asked: Promise<AppResponse>): Promise<void> {
    const response = await asked;
    responses.push({ call, response, atMs: performance.now() });
  }

  async function untilRefreshed(refreshToken: string): Promise<number> {
    for (;;) {
      const { status } = await client.refresh(refreshToken);
      const nowMs = performance.now();
      if (status !== 503 || nowMs - endMs > GIVE_UP_MS) return nowMs;
      await elapsed(PAUSE_MS / 4);
    }
  }
}

function expectAnswer(
  { call, response }: TimedResponse,
  { answersReads }: Pick<Outage, 'answersReads'>,
): void {
  if (call === 'me') {
    expect.soft(response.status, 'GET /me').toBe(200);
    // `admin` finds its session live, and `revoke` may end one.
  } else if (answersReads && (call === 'admin' || (call === 'revoke' && response.status === 200))) {
    expect.soft(response.status, call).toBe(200);
  } else {
    expectUnavailable(call, response);
  }
}

/** Expects the response of an app that cannot reach its storage: nothing issued, nothing denied, try again. */
function expectUnavailable(call: string, { status, headers, body }: AppResponse): void {
  expect.soft(status, call).toBe(503);
  expect.soft(Number(headers['retry-after']), `${call}: Retry-After`).toBeGreaterThanOrEqual(1);
  expect.soft(Object.keys(body).sort(), call).toEqual(['error', 'error_description']);
}
