import assert from 'node:assert/strict';
import type { NextDelivery, ScheduledDelivery } from '@latchhook/core/storage';
import { inParallel } from '../actions/in-parallel.ts';
import { finish } from '../actions/make-attempt.ts';
import { seededRandom } from '../agreement/seeded-random.ts';
import { answered, DELIVERED, starting } from '../samples/webhook-samples.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';
import type { WebhookStores } from '../trials/webhook-trial.ts';

/** A delivery that has started. */
export interface Played {
  readonly delivery: ScheduledDelivery;
  readonly startedAtMs: number;
  /** How often the store was asked, including the last time. */
  readonly asks: number;
}

interface Due {
  readonly delivery: ScheduledDelivery;
  readonly asks: number;
}

/** Settings of the played engine. */
export interface PlayOptions {
  /** How far the clock may be advanced. */
  readonly withinMs: number;
  /** How long an attempt that starts at this time takes. Default: no time. */
  readonly attemptMs?: (startedAtMs: number) => number;
  /** How many attempts may be in flight. Default: all. */
  readonly maxInFlight?: number;
}

/**
 * Plays an engine with several processes: asks for each delivery when it is scheduled, or when it is woken as next, and
 * never before; deliveries of one moment ask in random order. Every attempt delivers. Returns the deliveries in the
 * order of their starts.
 */
export async function playEngine(
  processes: readonly WebhookStores[],
  clock: TurnableClock,
  scheduled: readonly ScheduledDelivery[],
  { withinMs, attemptMs = () => 0, maxInFlight = scheduled.length }: PlayOptions,
): Promise<readonly Played[]> {
  const random = seededRandom(1);
  const due = new Agenda<Due>(clock);
  const ends = new Agenda<() => Promise<unknown>>(clock);
  const played: Played[] = [];
  for (const delivery of scheduled) due.add(delivery.delayMs, { delivery, asks: 0 });

  const wake = (next: NextDelivery) => {
    if (next === null) return;
    due.bringForward(({ delivery }) => delivery.deliveryId === next.deliveryId, next.delayMs);
  };
  const ask = async ({ deliveries }: WebhookStores, entry: Due) => {
    const { delivery } = entry;
    const asks = entry.asks + 1;
    const answer = await deliveries.start(starting(delivery, { maxInFlight }));
    if (answer.outcome === 'deferred') {
      assert.ok(answer.delayMs > 0, 'scheduled to ask again at once');
      due.add(answer.delayMs, { delivery, asks });
      wake(answer.next);
      return;
    }
    if (answer.outcome !== 'started') assert.fail(`${answer.outcome} rather than started`);
    wake(answer.next);
    played.push({ delivery, startedAtMs: answer.startedAtMs, asks });
    const durationMs = attemptMs(answer.startedAtMs);
    const result = { ...answered(200), durationMs };
    const end = async () => {
      const ended = { result, maxInFlight };
      wake((await finish(deliveries, delivery, answer, DELIVERED, ended)).next);
    };
    if (durationMs === 0) await end();
    else ends.add(durationMs, end);
  };

  const latestMs = clock.nowMs() + withinMs;
  while (played.length < scheduled.length) {
    assert.ok(clock.nowMs() <= latestMs, `${played.length} started within ${withinMs} ms`);
    for (const end of ends.take()) await end();
    const asking = shuffled(due.take(), random);
    await inParallel(asking.length, processes, async (stores, nth) => {
      const entry = asking[nth];
      if (entry !== undefined) await ask(stores, entry);
    });
    clock.advance(1);
  }
  return played;
}

/** Items by the time at which they are due. */
class Agenda<Item> {
  readonly #clock: TurnableClock;
  readonly #items = new Map<number, Item[]>();

  constructor(clock: TurnableClock) {
    this.#clock = clock;
  }

  add(delayMs: number, item: Item): void {
    const atMs = this.#clock.nowMs() + delayMs;
    this.#items.set(atMs, [...(this.#items.get(atMs) ?? []), item]);
  }

  /** Makes the first item that is found due sooner, if it is still there. */
  bringForward(isFound: (item: Item) => boolean, delayMs: number): void {
    for (const [atMs, items] of this.#items) {
      const found = items.find(isFound);
      if (found === undefined) continue;
      this.#items.set(
        atMs,
        items.filter((item) => item !== found),
      );
      this.add(delayMs, found);
      return;
    }
  }

  /** Takes what is due now, or was brought forward to the millisecond before, after that had been taken. */
  take(): readonly Item[] {
    const nowMs = this.#clock.nowMs();
    return [nowMs - 1, nowMs].flatMap((atMs) => {
      const items = this.#items.get(atMs) ?? [];
      this.#items.delete(atMs);
      return items;
    });
  }
}

/** The most starts in any window of this length. */
export function mostInAnyWindow(startedAtMs: readonly number[], windowMs: number): number {
  const sorted = startedAtMs.toSorted((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [nth, atMs] of sorted.entries()) {
    while ((sorted[first] ?? atMs) <= atMs - windowMs) first += 1;
    most = Math.max(most, nth - first + 1);
  }
  return most;
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
