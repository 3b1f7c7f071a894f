import { execFile, execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as elapsed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import {
  type AppClient,
  type AppResponse,
  connectApp,
  tokensOf,
} from '../support/apps/app-client.ts';
import { type RunningStarter, startStarter } from '../support/apps/start-starter.ts';
import { reportFigures } from './report-figures.ts';

const LOGINS = 500;
const HANG_UPS = 100;
const HASH_MIB = 19;
const SPARE_MIB = 50;
const BEARER_P99_MS = 50;
const SHED_WITHIN_MS = 2_200;
const MEMORY_SAMPLE_MS = 20;
/** The default of `passwords.concurrency` with libuv's default of four threads. */
const PERMITS = Math.max(1, Math.min(availableParallelism(), 3));

interface BearerLoad {
  readonly checks: number;
  readonly rejected: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

it('500 parallel logins keep memory bounded and bearer checks quick, and get 503 beyond capacity', async () => {
  const starter = await startStarter('express-starter', { env: { LOGIN_THROTTLE: 'off' } });
  const { client } = starter;
  const { accessToken } = tokensOf(await client.login('ada@example.com'));
  // The first flood is not measured, because code is slow when it first runs.
  await flood(client);
  const quiet = await bearerLoad(starter, accessToken, 2);

  const before = residentMib(starter.app().processId);
  const memory = watchMemory(starter);
  const bearer = bearerLoad(starter, accessToken, 3);
  await elapsed(500);
  const responses = await flood(client);
  const flooded = await bearer;
  const grownMib = memory.stop() - before;

  const shed = responses.filter(({ status }) => status === 503);
  reportFigures('500 logins at once', {
    issued: responses.filter(({ status }) => status === 200).length,
    shed: shed.length,
    slowestShedMs: slowest(shed),
    grownMib: Math.round(grownMib),
    allowedMib: PERMITS * HASH_MIB + SPARE_MIB,
    bearerChecks: flooded.checks,
    bearerP50Ms: flooded.p50Ms.toFixed(1),
    bearerP99Ms: flooded.p99Ms.toFixed(1),
    quietBearerP50Ms: quiet.p50Ms.toFixed(1),
    quietBearerP99Ms: quiet.p99Ms.toFixed(1),
  });
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 503]));
  expect(shed.every(({ headers }) => Number(headers['retry-after']) >= 1)).toBe(true);
  expect(slowest(shed)).toBeLessThan(SHED_WITHIN_MS);
  expect(grownMib).toBeLessThan(PERMITS * HASH_MIB + SPARE_MIB);
  expect(flooded.rejected).toBe(0);
  expect(flooded.p99Ms).toBeLessThan(BEARER_P99_MS);
});

it('100 clients that hang up during a login keep memory bounded, and logins recover after them', async () => {
  const starter = await startStarter('express-starter', { env: { LOGIN_THROTTLE: 'off' } });
  const { client } = starter;
  for (let warmUp = 0; warmUp < 40; warmUp += 1) await client.login('ada@example.com');
  const before = residentMib(starter.app().processId);
  const memory = watchMemory(starter);

  const impatient = connectApp(starter.app().url);
  const hangUps = Array.from({ length: HANG_UPS }, async (_, index) => {
    // Some hang up while their login is queued, others during the hash.
    const signal = AbortSignal.timeout(30 + 5 * (index % 10));
    await impatient.login('ada@example.com', {}, signal).catch(() => undefined);
  });
  await Promise.all(hangUps);
  impatient.close();
  const startedAtMs = performance.now();
  const responses: AppResponse[] = [];
  while (responses.at(-1)?.status !== 200) responses.push(await client.login('ada@example.com'));
  const normalAfterMs = performance.now() - startedAtMs;
  const grownMib = memory.stop() - before;

  const next = await client.login('ada@example.com');
  reportFigures('100 clients that hang up', {
    grownMib: Math.round(grownMib),
    normalAfterMs: Math.round(normalAfterMs),
    nextLoginMs: Math.round(next.tookMs),
  });
  expect(grownMib).toBeLessThan(PERMITS * HASH_MIB + SPARE_MIB);
  expect(normalAfterMs).toBeLessThan(2_500);
  expect(next.status).toBe(200);
  expect(next.tookMs).toBeLessThan(500);
});

function flood(client: AppClient): Promise<readonly AppResponse[]> {
  return Promise.all(Array.from({ length: LOGINS }, () => client.login('ada@example.com')));
}

function slowest(responses: readonly AppResponse[]): number {
  return Math.round(Math.max(0, ...responses.map(({ tookMs }) => tookMs)));
}

function watchMemory(starter: RunningStarter): { stop(): number } {
  const { processId } = starter.app();
  let peak = 0;
  const look = () => {
    peak = Math.max(peak, residentMib(processId));
  };
  const timer = setInterval(look, MEMORY_SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return peak;
    },
  };
}

async function bearerLoad(
  starter: RunningStarter,
  accessToken: string,
  seconds: number,
): Promise<BearerLoad> {
  const script = fileURLToPath(new URL('bearer-load.mjs', import.meta.url));
  const args = [script, starter.app().url, accessToken, String(seconds)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as BearerLoad;
}

/** The resident set of a process, MiB. */
function residentMib(processId: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(processId)])) / 1024;
}
