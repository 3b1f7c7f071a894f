import { setTimeout as elapsed } from 'node:timers/promises';
import type { ProcessGroup } from '../../support/apps/process-group.ts';
import type { OutboxFigures } from './outbox-figures.ts';
import { type OutboxPlace, openOutboxScene } from './outbox-scene.ts';

const RELAYS = 2;
/** How many transactions a host begins before it is killed, and how long it goes on after that, ms. */
const HOST_BEGINS = { from: 10, to: 80 };
const HOST_GOES_ON_MS = { from: 0, to: 60 };
const RELAY_LIVES_MS = { from: 100, to: 1_000 };
/** Relays start late: what has committed by then is taken together, in the order of the outbox. */
const BEGUN_WITHOUT_RELAYS = 200;
const POLL_MS = 2;

export interface KilledOutboxFigures extends OutboxFigures {
  readonly hostKills: number;
  readonly relayKills: number;
  readonly seconds: number;
}

/**
 * Kills the host over and over while its transactions publish, and two relays in turn, until all have been begun.
 *
 * @param random - from 0 to 1, seeded.
 */
export async function killOutbox(
  place: OutboxPlace,
  random: () => number,
): Promise<KilledOutboxFigures> {
  const scene = await openOutboxScene(place);
  const startedMs = performance.now();
  const between = ({ from, to }: { from: number; to: number }) => from + random() * (to - from);
  let isOver = false;

  async function killRelays(): Promise<number> {
    while (scene.journal.next < BEGUN_WITHOUT_RELAYS) await elapsed(POLL_MS);
    const relays: ProcessGroup[] = [];
    while (relays.length < RELAYS) relays.push(await scene.startRelay());
    let kills = 0;
    while (!isOver) {
      await elapsed(between(RELAY_LIVES_MS));
      await relays.shift()?.kill9();
      kills += 1;
      relays.push(await scene.startRelay());
    }
    return kills;
  }

  async function killHosts(): Promise<number> {
    let kills = 0;
    while (scene.journal.next < scene.transactions) {
      const until = Math.min(scene.journal.next + between(HOST_BEGINS), scene.transactions);
      const host = await scene.startHost();
      while (scene.journal.next < until && !host.hasExited()) await elapsed(POLL_MS);
      await elapsed(between(HOST_GOES_ON_MS));
      if (!host.hasExited()) kills += 1;
      await host.kill9();
    }
    isOver = true;
    return kills;
  }

  const [relayKills, hostKills] = await Promise.all([killRelays(), killHosts()]);
  const figures = await scene.figures();
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  return { ...figures, hostKills, relayKills, seconds };
}
