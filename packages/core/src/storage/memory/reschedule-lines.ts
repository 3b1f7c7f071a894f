import type { RescheduledDelivery } from '../delivery-store.ts';
import type { RescheduleRequest } from '../reschedule-request.ts';
import type { Instant } from './instant.ts';
import { fallAsleep, inFlight, lineUp, obstacleTo } from './line-up.ts';
import type { RankedSequence } from './ranked-sequence.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { StoredWebhook } from './stored-webhook.ts';

/** Tells those of both lines when to ask, retries first, but for those that sleep on. */
export function rescheduleLines(
  webhook: StoredWebhook,
  request: RescheduleRequest,
  now: Instant,
): readonly RescheduledDelivery[] {
  const { limit, after } = request;
  webhook.rateMarginMs = request.rateMarginMs;
  const room = request.maxInFlight - inFlight(webhook, now);
  const told: RescheduledDelivery[] = [];
  for (const delivery of toBeTold(webhook, room, after)) {
    if (told.length === limit) break;
    const by = obstacleTo(webhook, delivery.rank, request.maxInFlight, now);
    const { dueAtMs } = delivery;
    const scheduled =
      by === 'in_flight' ? fallAsleep(delivery, request, now) : lineUp(delivery, now);
    // Who should have asked before is as late as it was.
    if (by === null) delivery.dueAtMs = Math.min(delivery.dueAtMs, dueAtMs);
    told.push({ ...scheduled, cursor: cursorOf(delivery) });
  }
  return told;
}

/** The cursors of retries are negative. */
function cursorOf({ retryPlace, sequence }: StoredDelivery): number {
  return retryPlace === undefined ? sequence : -retryPlace;
}

/** Whoever is answered may leave the crowd or join it, and stays in its line. */
function* toBeTold(
  { retries, crowd, lines: { queued } }: StoredWebhook,
  room: number,
  after: number | null,
): Iterable<StoredDelivery> {
  if (after === null || after < 0) {
    yield* wakeful(retries, crowd.waiting, after === null ? 0 : retries.rank(1 - after), room);
  }
  yield* wakeful(queued, crowd.queued, queued.rank(Math.max(0, after ?? 0) + 1), room);
}

/** Of a line from a place on: who is awake, and of those that sleep who finds room. */
function* wakeful(
  line: RankedSequence<StoredDelivery>,
  crowd: RankedSequence<StoredDelivery>,
  from: number,
  room: number,
): Iterable<StoredDelivery> {
  for (let place = from; place < line.size; place += 1) {
    if ((line.at(place)?.rank ?? 0) >= room) place = firstAwake(line, crowd, place);
    const delivery = line.at(place);
    if (delivery !== undefined) yield delivery;
  }
}

/**
 * The first place from there on of one that is awake; the length of the line where there is none. Not walked: of a
 * receiver that hangs tens of thousands sleep. Before any place so many are awake as it says, less those of the crowd.
 */
function firstAwake(
  line: RankedSequence<StoredDelivery>,
  crowd: RankedSequence<StoredDelivery>,
  place: number,
): number {
  const awakeBefore = (middle: number): number => {
    const delivery = line.at(middle);
    return middle - (delivery ? crowd.rank(Math.abs(cursorOf(delivery))) : crowd.size);
  };
  const awake = awakeBefore(place);
  let [low, high] = [place, line.size];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (awakeBefore(middle) > awake) high = middle - 1;
    else low = middle;
  }
  return low;
}
