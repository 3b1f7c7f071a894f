import { setTimeout as elapsed } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { type AppClient, type TokenPair, tokensOf } from '../support/apps/app-client.ts';
import { type RunningStarter, startStarter } from '../support/apps/start-starter.ts';
import { logInMany } from '../support/clients/log-in-many.ts';
import { seededRandom } from '../support/storage/seeded-random.ts';
import { reportFigures } from './report-figures.ts';

const MINUTES = 3;
const CLIENTS = 8;
const PAUSE_MS = 10;
/** With `FAULT_MS`, faults take one per cent of the time. */
const FAULT_EVERY_MS = 10_000;
const FAULT_MS = 100;
/** The share of the run after which the heap has reached its size. */
const WARM_UP_SHARE = 0.4;
/** The cache of verified tokens, which on a slow machine still fills, takes more than half of this. */
const SLOPE_BOUND_MIB_A_MINUTE = 4;
const CLOSE_BOUND_MS = 2_000;
/** The two keys of the queue itself, which have no TTL. */
const KEYS_OF_QUEUE = ['latchhook:{webhooks}:clock', 'latchhook:{webhooks}:idle'];

it('an app under faults has stable memory, and leaves no connection and no key without TTL', async () => {
  const tellMemory = new URL('tell-memory.mjs', import.meta.url);
  const starter = await startStarter('express-starter', {
    env: { LOGIN_THROTTLE: 'off', NODE_OPTIONS: `--import ${tellMemory.href}` },
  });
  const { client, redis } = starter;
  const admin = new Redis(redis.url);
  onTestFinished(() => admin.disconnect());
  const sessions = await logInMany(client, 'ada@example.com', CLIENTS);

  const stop = new AbortController();
  const statuses = new Map<number, number>();
  const running = Promise.all([
    ...sessions.map((session, index) =>
      use(client, session, seededRandom(index), statuses, stop.signal),
    ),
    disturbNowAndThen(starter, stop.signal),
  ]);
  await elapsed(MINUTES * 60_000);
  stop.abort();
  await running;
  const samples = memorySamples(starter.app().output());
  const settled = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const heldSlope = slopeAMinute(settled, ({ heldMib }) => heldMib);
  const rssSlope = slopeAMinute(settled, ({ rssMib }) => rssMib);

  const immortal = await keysWithoutTtl(admin);
  const closedAtMs = performance.now();
  // The app exits by itself, because it has no timer and no socket left.
  await starter.app().stop();
  const closeMs = performance.now() - closedAtMs;
  const clients = String(await admin.client('LIST'))
    .trim()
    .split('\n').length;

  reportFigures(`soak of ${MINUTES} min`, {
    answers: JSON.stringify(Object.fromEntries(statuses)),
    heldMib: samples.at(-1)?.heldMib.toFixed(1),
    heldSlopeMibAMinute: heldSlope.toFixed(2),
    rssMib: samples.at(-1)?.rssMib.toFixed(0),
    rssSlopeMibAMinute: rssSlope.toFixed(2),
    keys: await admin.dbsize(),
    keysWithoutTtl: immortal.length,
    closeMs: closeMs.toFixed(0),
    connectionsLeft: clients - 1,
  });
  expect(starter.app().output()).not.toMatch(/unhandled|uncaught|MaxListeners/i);
  expect([...statuses.keys()].sort()).toEqual([200, 503]);
  expect(heldSlope).toBeLessThan(SLOPE_BOUND_MIB_A_MINUTE);
  expect(rssSlope).toBeLessThan(SLOPE_BOUND_MIB_A_MINUTE);
  expect(immortal.toSorted()).toEqual(KEYS_OF_QUEUE);
  expect(closeMs).toBeLessThan(CLOSE_BOUND_MS);
  expect(clients).toBe(1);
}, 300_000);

async function use(
  client: AppClient,
  session: TokenPair,
  random: () => number,
  statuses: Map<number, number>,
  stop: AbortSignal,
): Promise<void> {
  let tokens = session;
  while (!stop.aborted) {
    const choice = random();
    const response = await (choice < 0.02
      ? client.login('alan@example.com')
      : choice < 0.5
        ? client.refresh(tokens.refreshToken)
        : client.me(tokens.accessToken));
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    if (choice >= 0.02 && choice < 0.5 && response.status === 200) tokens = tokensOf(response);
    await elapsed(PAUSE_MS);
  }
}

async function disturbNowAndThen({ proxy }: RunningStarter, stop: AbortSignal): Promise<void> {
  const faults = [() => proxy.blackhole(), () => proxy.reject(), () => proxy.dropReplies()];
  for (let count = 0; !stop.aborted; count += 1) {
    await elapsed(FAULT_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
    await faults[count % faults.length]?.();
    await elapsed(FAULT_MS);
    await proxy.pass();
  }
}

interface Sample {
  readonly atMs: number;
  /** The heap and what belongs to it. */
  readonly heldMib: number;
  readonly rssMib: number;
}

function memorySamples(output: string): readonly Sample[] {
  return [...output.matchAll(/^memory (.+)$/gm)].map(
    ([, sample = '']) => JSON.parse(sample) as Sample,
  );
}

/** The slope of the straight line that fits best. */
function slopeAMinute(samples: readonly Sample[], mibOf: (sample: Sample) => number): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const meanAtMs = mean(({ atMs }) => atMs);
  const meanMib = mean(mibOf);
  const covariance = mean((sample) => (sample.atMs - meanAtMs) * (mibOf(sample) - meanMib));
  return (60_000 * covariance) / mean(({ atMs }) => (atMs - meanAtMs) ** 2);
}

async function keysWithoutTtl(redis: Redis): Promise<readonly string[]> {
  const keys = await redis.keys('*');
  const ttls = await Promise.all(keys.map((key) => redis.pttl(key)));
  // -2: the key has just expired.
  return keys.filter((_, index) => ttls[index] === -1);
}
