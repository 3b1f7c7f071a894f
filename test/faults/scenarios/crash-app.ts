import { setTimeout as elapsed } from 'node:timers/promises';
import type { SessionStore } from '@latchhook/core/storage';
import { expect } from 'vitest';
import { tokensOf } from '../../support/apps/app-client.ts';
import type { ProxiedApp } from '../../support/apps/start-starter.ts';

/** The delay of the store's replies, ms, by which most kills come between the rotation and its reply. */
const REPLY_DELAY_MS = 25;
const LATEST_KILL_MS = 60;
const LOGIN_BOUND_MS = 2_000;

export interface CrashFigures {
  readonly kills: number;
  /** Kills before the rotation: the client has no response, and the token was not consumed. */
  readonly beforeRotation: number;
  /** Kills between the rotation and its response: the tested case. */
  readonly betweenRotationAndAnswer: number;
  readonly retriesRejected: number;
  readonly slowestLoginMs: number;
}

/**
 * Kills the app during a refresh and restarts it; then the client retries with its token.
 *
 * @param sessions - of the app's storage, without the proxy.
 * @param random - from 0 to 1, seeded.
 */
export async function crashBetweenRotationAndAnswer(
  starter: ProxiedApp,
  sessions: SessionStore,
  kills: number,
  random: () => number,
): Promise<CrashFigures> {
  const { client, proxy } = starter;
  let current = tokensOf(await client.login('alan@example.com')).refreshToken;
  let generation = 1;
  let beforeRotation = 0;
  let betweenRotationAndAnswer = 0;
  let retriesRejected = 0;
  let slowestLoginMs = 0;

  for (let kill = 0; kill < kills; kill += 1) {
    await proxy.delay(REPLY_DELAY_MS);
    const answered = client.refresh(current).then(
      (response) => tokensOf(response).refreshToken,
      () => undefined,
    );
    await elapsed(random() * LATEST_KILL_MS);
    await starter.app().kill9();
    const answeredToken = await answered;
    const [session] = await sessions.list('alan');
    const isRotated = session?.generation === generation + 1;
    if (answeredToken === undefined && isRotated) betweenRotationAndAnswer += 1;
    if (!isRotated) beforeRotation += 1;
    await proxy.pass();
    await starter.restart();

    const login = await client.login('ada@example.com');
    expect(login.status).toBe(200);
    slowestLoginMs = Math.max(slowestLoginMs, login.tookMs);

    const retry = await client.refresh(current);
    if (retry.status !== 200) retriesRejected += 1;
    const successor = tokensOf(retry).refreshToken;
    // The chain does not fork: a token has the same successor before and after the crash.
    expect(answeredToken ?? successor).toBe(successor);
    current = successor;
    generation += 1;
  }

  expect(retriesRejected).toBe(0);
  expect(slowestLoginMs).toBeLessThan(LOGIN_BOUND_MS);
  return {
    kills,
    beforeRotation,
    betweenRotationAndAnswer,
    retriesRejected,
    slowestLoginMs: Math.round(slowestLoginMs),
  };
}
