import { setTimeout as elapsed } from 'node:timers/promises';
import type { ProcessGroup } from '../../support/apps/process-group.ts';
import type { OutboxFigures } from './outbox-figures.ts';
import { type OutboxPlace, openOutboxFixture } from './outbox-fixture.ts';

const WORKERS = 2;
/** A host begins so many transactions before it is killed. */
const HOST_BEGINS = { from: 10, to: 80 };
/** The time from the begin of the last of them to the kill, ms. */
const HOST_GOES_ON_MS = { from: 0, to: 60 };
const WORKER_LIVES_MS = { from: 100, to: 1_000 };
/** The number of transactions before the first worker starts, so that one claim publishes many events. */
const BEGUN_WITHOUT_WORKERS = 200;
const POLL_MS = 2;

export interface KilledOutboxFigures extends OutboxFigures {
  readonly hostKills: number;
  readonly workerKills: number;
  readonly seconds: number;
}

/**
 * Kills the host repeatedly while its transactions publish, and two workers in turn, until all transactions have begun.
 *
 * @param random - from 0 to 1, seeded.
 */
export async function killOutbox(
  place: OutboxPlace,
  random: () => number,
): Promise<KilledOutboxFigures> {
  const fixture = await openOutboxFixture(place);
  const startedMs = performance.now();
  const between = ({ from, to }: { from: number; to: number }) => from + random() * (to - from);
  let isOver = false;

  async function killWorkers(): Promise<number> {
    while (fixture.journal.next < BEGUN_WITHOUT_WORKERS) await elapsed(POLL_MS);
    const workers: ProcessGroup[] = [];
    while (workers.length < WORKERS) workers.push(await fixture.startWorker());
    let kills = 0;
    while (!isOver) {
      await elapsed(between(WORKER_LIVES_MS));
      await workers.shift()?.kill9();
      kills += 1;
      workers.push(await fixture.startWorker());
    }
    return kills;
  }

  async function killHosts(): Promise<number> {
    let kills = 0;
    while (fixture.journal.next < fixture.transactions) {
      const until = Math.min(fixture.journal.next + between(HOST_BEGINS), fixture.transactions);
      const host = await fixture.startHost();
      while (fixture.journal.next < until && !host.hasExited()) await elapsed(POLL_MS);
      await elapsed(between(HOST_GOES_ON_MS));
      if (!host.hasExited()) kills += 1;
      await host.kill9();
    }
    isOver = true;
    return kills;
  }

  const [workerKills, hostKills] = await Promise.all([killWorkers(), killHosts()]);
  const figures = await fixture.figures();
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  return { ...figures, hostKills, workerKills, seconds };
}
