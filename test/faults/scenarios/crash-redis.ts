import { setTimeout as elapsed } from 'node:timers/promises';
import { expect } from 'vitest';
import { type AppClient, tokensOf } from '../../support/apps/app-client.ts';
import type { RunningStarter } from '../../support/apps/start-starter.ts';
import { logInMany } from '../../support/clients/log-in-many.ts';

const PAUSE_MS = 20;
const LOAD_MS = 400;
const DOWN_MS = 300;

export interface RedisCrashFigures {
  readonly crashes: number;
  readonly refreshes: number;
  readonly unavailable: number;
  readonly sessionsLost: number;
}

/** A client that refreshes repeatedly, and records the responses. */
interface Refresher {
  /** All tokens that the client has received, newest last. */
  readonly tokens: string[];
  readonly statuses: number[];
}

/** Kills and restarts Redis while clients refresh, and then checks every acknowledged refresh. */
export async function crashRedisUnderLoad(
  { client, redis }: RunningStarter,
  crashes: number,
  clients: number,
): Promise<RedisCrashFigures> {
  const sessions = await logInMany(client, 'alan@example.com', clients);
  const refreshers: readonly Refresher[] = sessions.map(({ refreshToken }) => ({
    tokens: [refreshToken],
    statuses: [],
  }));

  const stop = new AbortController();
  const running = refreshers.map((refresher) => refreshOn(client, refresher, stop.signal));
  for (let crash = 0; crash < crashes; crash += 1) {
    await elapsed(LOAD_MS);
    await redis.kill9();
    await elapsed(DOWN_MS);
    await redis.restart();
  }
  await elapsed(LOAD_MS);
  stop.abort();
  await Promise.all(running);

  const statuses = refreshers.flatMap((refresher) => refresher.statuses);
  const sessionsLost = statuses.filter((status) => status === 400).length;
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  // The check that follows uses only what Redis reads from its file.
  await redis.restart();
  await expect.poll(async () => (await client.login('ada@example.com')).status).toBe(200);
  for (const { tokens } of refreshers) {
    const newest = tokens.at(-1) ?? '';
    // Two rotations old, so it has no grace.
    const superseded = tokens.at(-3) ?? '';
    expect((await client.refresh(newest)).status, 'newest').toBe(200);
    expect((await client.refresh(superseded)).status, 'two rotations old').toBe(400);
    expect((await client.refresh(newest)).status, 'newest, after that reuse').toBe(400);
  }
  return {
    crashes,
    refreshes: statuses.filter((status) => status === 200).length,
    unavailable: statuses.filter((status) => status === 503).length,
    sessionsLost,
  };
}

async function refreshOn(client: AppClient, { tokens, statuses }: Refresher, stop: AbortSignal) {
  while (!stop.aborted) {
    const response = await client.refresh(tokens.at(-1) ?? '');
    statuses.push(response.status);
    if (response.status === 200) tokens.push(tokensOf(response).refreshToken);
    await elapsed(PAUSE_MS);
  }
}
