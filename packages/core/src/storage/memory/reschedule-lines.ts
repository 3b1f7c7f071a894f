import type { RescheduledDelivery } from '../delivery-outcomes.ts';
import type { RescheduleRequest } from '../delivery-requests.ts';
import type { LinePosition } from '../line-position.ts';
import type { Instant } from './instant.ts';
import { inFlight, lineUp, obstacleTo, park } from './line-up.ts';
import type { RankedSequence } from './ranked-sequence.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { StoredWebhook } from './stored-webhook.ts';
import { rankOf } from './turns.ts';

/** Reschedules deliveries of both lines, retries first; those that stay parked are skipped. */
export function rescheduleLines(
  webhook: StoredWebhook,
  request: RescheduleRequest,
  now: Instant,
): readonly RescheduledDelivery[] {
  const { limit, after } = request;
  webhook.rateMarginMs = request.rateMarginMs;
  const room = request.maxInFlight - inFlight(webhook, now);
  const rescheduled: RescheduledDelivery[] = [];
  for (const delivery of toReschedule(webhook, room, after)) {
    if (rescheduled.length === limit) break;
    const obstacle = obstacleTo(webhook, rankOf(delivery), request.maxInFlight, now);
    const { dueAtMs } = delivery;
    const scheduled =
      obstacle === 'in_flight' ? park(delivery, request, now) : lineUp(delivery, now);
    // A delivery that should have asked before stays as late as it was.
    if (obstacle === null) delivery.dueAtMs = Math.min(delivery.dueAtMs, dueAtMs);
    rescheduled.push({ ...scheduled, position: positionOf(delivery) });
  }
  return rescheduled;
}

function positionOf({ retrySequence, sequence }: StoredDelivery): LinePosition {
  return retrySequence === undefined
    ? { line: 'first_tries', sequence }
    : { line: 'retries', sequence: retrySequence };
}

/** The caller may park or unpark what is yielded, but not take it out of its line. */
function* toReschedule(
  { retries, parked, byState: { queued } }: StoredWebhook,
  room: number,
  after: LinePosition | null,
): Iterable<StoredDelivery> {
  const isAmongFirst = after?.line === 'first_tries';
  if (!isAmongFirst) {
    yield* reschedulable(
      retries,
      parked.waiting,
      after ? retries.rank(after.sequence + 1) : 0,
      room,
    );
  }
  const place = isAmongFirst ? queued.rank(after.sequence + 1) : 0;
  yield* reschedulable(queued, parked.queued, place, room);
}

/** The deliveries of a line, from a place on, that are not parked, or parked though there is room for them. */
function* reschedulable(
  line: RankedSequence<StoredDelivery>,
  parked: RankedSequence<StoredDelivery>,
  from: number,
  room: number,
): Iterable<StoredDelivery> {
  for (let place = from; place < line.size; place += 1) {
    const first = line.at(place);
    if (first !== undefined && rankOf(first) >= room) place = firstNotParked(line, parked, place);
    const delivery = line.at(place);
    if (delivery !== undefined) yield delivery;
  }
}

/**
 * The first place, from `place` on, of a delivery that is not parked; the length of the line where there is none. By a
 * binary search, as behind a receiver that hangs tens of thousands are parked. The number not parked before a place is
 * that place minus the parked ones before it.
 */
function firstNotParked(
  line: RankedSequence<StoredDelivery>,
  parked: RankedSequence<StoredDelivery>,
  place: number,
): number {
  const notParkedBefore = (middle: number): number => {
    const delivery = line.at(middle);
    return middle - (delivery ? parked.rank(positionOf(delivery).sequence) : parked.size);
  };
  const notParked = notParkedBefore(place);
  let [low, high] = [place, line.size];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (notParkedBefore(middle) > notParked) high = middle - 1;
    else low = middle;
  }
  return low;
}
