import { setTimeout as elapsed } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import {
  infoOf,
  type SentinelGroup,
  startSentinelGroup,
} from '../support/servers/redis-sentinels.ts';
import { reportFigures } from './report-figures.ts';
import {
  countAcknowledged,
  findLost,
  openJournal,
  startFollowingApp,
  startLoad,
} from './scenarios/follow-sentinels.ts';

const LOAD_MS = 1_000;
const RECOVERY_BOUND_MS = 2_000;
/** The settings that the README of `@latchhook/redis` advises. */
const SAFE = { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '10' };
const NOTHING = { rotations: 0, logins: 0, revocations: 0, events: 0 };

describe('an app whose master is replaced by Sentinel', () => {
  it('recovers by itself, and loses nothing that it has acknowledged', async () => {
    const group = await startSentinelGroup(SAFE);
    const app = await startFollowingApp(group);
    const journal = await openJournal(app);
    const load = startLoad(app, journal);
    await elapsed(LOAD_MS);

    await load.untilServed();
    const killedAtMs = performance.now();
    await group.master.kill9();
    const writableAtMs = await untilWritable(group);
    const recoveredAfterMs = (await load.untilServed()) - writableAtMs;
    await elapsed(LOAD_MS);
    await load.stop();

    const lost = await findLost(app, journal);
    reportFigures('master killed under Sentinels', {
      rotations: journal.rotations,
      logins: journal.loggedIn.length,
      revocations: journal.revoked.length,
      events: journal.published.length,
      unavailable: journal.statuses.filter((status) => status === 503).length,
      replacedAfterMs: Math.round(writableAtMs - killedAtMs),
      recoveredAfterMs: Math.round(recoveredAfterMs),
      lost: JSON.stringify(lost),
    });
    expect(new Set(journal.statuses)).toEqual(new Set([200, 503]));
    expect(recoveredAfterMs).toBeLessThan(RECOVERY_BOUND_MS);
    expect(lost).toEqual(NOTHING);
  });

  it('acknowledges no write while its master has no replica', async () => {
    const group = await startSentinelGroup(SAFE);
    const app = await startFollowingApp(group);
    const journal = await openJournal(app);
    const before = startLoad(app, journal);
    await before.untilServed();
    await before.stop();
    const acknowledgedBefore = countAcknowledged(journal);

    await cutOffReplicas(group);
    const load = startLoad(app, journal);
    await elapsed(LOAD_MS);
    const acknowledgedMeanwhile = countAcknowledged(journal) - acknowledgedBefore;
    await group.master.kill9();
    for (const replica of group.replicas) replica.resume();
    await load.untilServed();
    await load.stop();

    const lost = await findLost(app, journal);
    reportFigures('master killed when it had no replica', {
      acknowledgedBefore,
      acknowledgedMeanwhile,
      unavailable: journal.statuses.filter((status) => status === 503).length,
      lost: JSON.stringify(lost),
    });
    expect(lost).toEqual(NOTHING);
    expect(acknowledgedMeanwhile).toBe(0);
  });
});

/** Waits until a former replica is the master and has a replica, without which it accepts no writes. */
async function untilWritable({ replicas }: SentinelGroup): Promise<number> {
  const isWritable = (info: string) => info.includes('role:master') && /slaves:[1-9]/.test(info);
  for (;;) {
    const infos = await Promise.all(replicas.map(infoOf));
    if (infos.some(isWritable)) return performance.now();
    await elapsed(10);
  }
}

/** Waits until the replicas have received all writes, then stops them from receiving more. */
async function cutOffReplicas({ master, replicas }: SentinelGroup): Promise<void> {
  const redis = new Redis(master.url);
  await redis.set('marker', 'the end');
  expect(await redis.wait(replicas.length, 10_000)).toBe(replicas.length);
  for (const replica of replicas) replica.pause();
  await redis.call('CLIENT', 'KILL', 'TYPE', 'replica');
  redis.disconnect();
}
