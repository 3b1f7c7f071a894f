import assert from 'node:assert/strict';
import type { ScheduledDelivery } from '@latchhook/core';
import { inParallel } from './in-parallel.ts';
import { seededRandom } from './seeded-random.ts';
import type { TurnableClock } from './turnable-clock.ts';
import { finish } from './webhook-actions.ts';
import { answered, DELIVERED, POLICY, starting } from './webhook-samples.ts';
import type { WebhookStores } from './webhook-trial.ts';

/** A delivery that was made. */
export interface Played {
  readonly delivery: ScheduledDelivery;
  readonly startedAtMs: number;
  /** How often the store was asked, the last time included. */
  readonly asks: number;
}

interface Due {
  readonly delivery: ScheduledDelivery;
  readonly asks: number;
}

/** What the engine that is played goes by. */
export interface PlayOptions {
  /** How far the clock may be turned. */
  readonly withinMs: number;
  /** How long an attempt takes. Default: none. */
  readonly attemptMs?: number;
  /** See `StartRequest`. */
  readonly maxInFlight?: number;
}

/**
 * Plays an engine with processes of its own: asks for each delivery when it was told to, and never before, in
 * no particular order among those of one moment; and ends every attempt well. Answers the deliveries in the
 * order of their first attempts.
 */
export async function playEngine(
  processes: readonly WebhookStores[],
  clock: TurnableClock,
  scheduled: readonly ScheduledDelivery[],
  { withinMs, attemptMs = 0, maxInFlight = POLICY.maxInFlight }: PlayOptions,
): Promise<readonly Played[]> {
  const random = seededRandom(1);
  const beganAtMs = clock.nowMs();
  const due = new Map<number, Due[]>();
  const remember = (delayMs: number, entry: Due) => {
    const atMs = clock.nowMs() + delayMs;
    due.set(atMs, [...(due.get(atMs) ?? []), entry]);
  };
  for (const delivery of scheduled) remember(delivery.delayMs, { delivery, asks: 0 });

  const ends = new Map<number, (() => Promise<unknown>)[]>();
  const end = async (stores: WebhookStores, { delivery }: Due, attempt: number) => {
    const result = { ...answered(200), durationMs: attemptMs };
    await finish(stores.deliveries, delivery, { attempt }, DELIVERED, { result });
  };

  const played: Played[] = [];
  while (played.length < scheduled.length) {
    const nowMs = clock.nowMs();
    assert.ok(nowMs - beganAtMs <= withinMs, `${due.size} still wait after ${withinMs} ms`);
    for (const endAttempt of ends.get(nowMs) ?? []) await endAttempt();
    ends.delete(nowMs);
    const asking = shuffled(due.get(nowMs) ?? [], random);
    due.delete(nowMs);
    await inParallel(asking.length, processes, async (stores, nth) => {
      const entry = asking[nth];
      if (entry === undefined) return;
      const { delivery } = entry;
      const asks = entry.asks + 1;
      const answer = await stores.deliveries.start(starting(delivery, { maxInFlight }));
      if (answer.outcome === 'deferred') {
        assert.ok(answer.delayMs > 0, 'told to ask again at once');
        return remember(answer.delayMs, { delivery, asks });
      }
      if (answer.outcome !== 'started') assert.fail(`${answer.outcome} rather than started`);
      played.push({ delivery, startedAtMs: answer.startedAtMs, asks });
      if (attemptMs === 0) return end(stores, entry, answer.attempt);
      const endsAtMs = nowMs + attemptMs;
      const others = ends.get(endsAtMs) ?? [];
      ends.set(endsAtMs, [...others, () => end(stores, entry, answer.attempt)]);
    });
    clock.advance(1);
  }
  return played;
}

/** The most starts that any window of this length saw, which ends with a start. */
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
