import type { DeliveryStore, NextDelivery, StartOutcome } from '@latchhook/core/storage';
import { POLICY } from '../../samples/webhook-samples.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryTurns } from './delivery-turns.ts';

/** Names another delivery as next. */
function saysNext(change: (next: NextDelivery) => NextDelivery) {
  return deliveriesThat(({ deliveries }) => ({
    finish: async (request) => {
      const answer = await deliveries.finish(request);
      return answer.outcome === 'finished' ? { ...answer, next: change(answer.next) } : answer;
    },
    start: async (request) => {
      const answer = await deliveries.start(request);
      return answer.outcome === 'deferred' ? { ...answer, next: change(answer.next) } : answer;
    },
  }));
}

const wakesNobody = saysNext(() => null);

/** Wakes only first tries; a retry has to ask again and again, and starts if there happens to be room. */
const pollsForRetries = deliveriesThat(({ deliveries }) => {
  const retries = new Set<string>();
  const isRetry = (next: NextDelivery) => next !== null && retries.has(next.deliveryId);
  return {
    start: async (request) => {
      const answer = await deliveries.start(request);
      if (answer.outcome !== 'deferred' || !retries.has(request.deliveryId)) return answer;
      return { ...answer, delayMs: Math.max(answer.delayMs, 10_000) };
    },
    finish: async (request) => {
      const answer = await deliveries.finish(request);
      if (request.verdict.kind === 'retry') retries.add(request.deliveryId);
      if (answer.outcome !== 'finished' || !isRetry(answer.next)) return answer;
      return { ...answer, next: null };
    },
  };
});

/** Lets retries start before all waiting first tries, as a queue with priorities does. */
const prefersRetries = preferring((isRetry, retriesWait) => !isRetry && retriesWait);
/** Lets first tries start before all waiting retries. */
const prefersFirstTries = preferring((isRetry, _retriesWait, firstTriesWait) => {
  return isRetry && firstTriesWait;
});

type Preference = (isRetry: boolean, retriesWait: boolean, firstTriesWait: boolean) => boolean;

function preferring(mustWait: Preference) {
  return deliveriesThat(({ webhooks, deliveries, clock }) => {
    const waiting = { retries: new Set<string>(), firstTries: new Set<string>() };
    const later: StartOutcome = { outcome: 'deferred', delayMs: 100, reason: 'rate', next: null };
    const startsAtMs: number[] = [];
    const start: DeliveryStore['start'] = async (request) => {
      const { retries, firstTries } = waiting;
      const isRetry = retries.has(request.deliveryId);
      const nowMs = clock.nowMs();
      if (mustWait(isRetry, retries.size > 0, firstTries.size > 0)) return later;
      const { rateLimit } = (await webhooks.find(request)) ?? { rateLimit: 0 };
      if (startsAtMs.filter((atMs) => atMs > nowMs - 1_200).length >= rateLimit) return later;
      retries.delete(request.deliveryId);
      firstTries.delete(request.deliveryId);
      startsAtMs.push(nowMs);
      return { ...started, startedAtMs: nowMs, attempt: isRetry ? 2 : 1 };
    };
    const started = {
      outcome: 'started',
      triesBefore: 0,
      body: '{}',
      webhook: { url: '', secrets: [] },
      next: null,
    } as const;
    return {
      publish: async (message) => {
        waiting.firstTries.add(message.messageId);
        return deliveries.publish(message);
      },
      start,
      finish: async ({ deliveryId, verdict }) => {
        if (verdict.kind === 'retry') waiting.retries.add(deliveryId);
        return { outcome: 'finished', state: 'waiting', disabled: null, next: null };
      },
    };
  });
}

const knowsOneMargin = deliveriesThat(({ deliveries }) => ({
  start: (request) => deliveries.start({ ...request, rateMarginMs: POLICY.rateMarginMs }),
}));

expectWebhookFaultsNoticed(deliveryTurns, {
  'let the nth retry start with the 2nth start at the latest, however many first tries wait': {
    'has retries ask now and then': pollsForRetries,
    'prefers first tries': prefersFirstTries,
  },
  'are taken one by one while both wait, retries in the order in which they began to wait': {
    'has retries ask now and then': pollsForRetries,
    'prefers first tries': prefersFirstTries,
    'prefers retries': prefersRetries,
  },
  'let retries start behind a slow receiver, even if first tries fill all room': {
    'has retries ask now and then': pollsForRetries,
    'wakes none': wakesNobody,
  },
  'wake retries and first tries in their turn, as room is made': {
    'wakes none': wakesNobody,
    'wakes first tries alone': pollsForRetries,
  },
  'wake a delivery that has to wait for the rate, and answer for how long': {
    'wakes none': wakesNobody,
    'wakes none that the rate delays': saysNext((next) => (next?.delayMs ? null : next)),
    'says at once': saysNext((next) => next && { ...next, delayMs: 0 }),
  },
  'wake a delivery by the margin of the start, not of its publisher': {
    'goes by the margin of the publisher': knowsOneMargin,
  },
  'wake a delivery by the margin of a deferred start': {
    'goes by the margin of the publisher': knowsOneMargin,
    'wakes none': wakesNobody,
  },
  'wake a delivery by the margin of a start that finds poison': {
    'goes by the margin of the publisher': knowsOneMargin,
  },
});
