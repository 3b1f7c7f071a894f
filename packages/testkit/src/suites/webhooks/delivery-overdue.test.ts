import type { DeliveryRecord, DeliveryRef, DeliveryStore } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { overdueThat } from '../../self-test/faulty-deliveries.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import type { WebhookHarness } from '../../trials/webhook-trial.ts';
import { deliveryOverdue } from './delivery-overdue.ts';

/** Behaves differently towards a delivery once it was returned as overdue. */
function onceReturned(
  change: (
    deliveries: DeliveryStore,
    wasReturned: (ref: DeliveryRef) => boolean,
  ) => Partial<DeliveryStore>,
): WebhookHarness {
  return deliveriesThat(({ deliveries }) => {
    const returned = new Set<string>();
    return {
      overdue: async (request) => {
        const found = await deliveries.overdue(request);
        for (const { webhookId, deliveryId } of found) returned.add(`${webhookId} ${deliveryId}`);
        return found;
      },
      ...change(deliveries, ({ webhookId, deliveryId }) =>
        returned.has(`${webhookId} ${deliveryId}`),
      ),
    };
  });
}

/** Changes the record of each delivery that was returned. */
function recordsThat(change: (record: DeliveryRecord) => DeliveryRecord): WebhookHarness {
  return onceReturned((deliveries, wasReturned) => ({
    find: async (ref) => {
      const record = await deliveries.find(ref);
      return record && wasReturned(ref) ? change(record) : record;
    },
  }));
}

const putsNothingOff = overdueThat(
  (overdue) => (request) => overdue({ ...request, putOffMs: -request.graceMs }),
);
const returnsOnce = overdueThat((overdue) => (request) => overdue({ ...request, putOffMs: 1e9 }));

/** Returns again for ever what it returned once, whatever became of it. */
const forgetsNothing = deliveriesThat(({ deliveries, clock }) => {
  const returned = new Map<string, number>();
  return {
    overdue: async (request) => {
      const found = [...(await deliveries.overdue(request))];
      for (const delivery of found) returned.set(JSON.stringify(delivery), clock.nowMs());
      for (const [delivery, atMs] of returned) {
        if (clock.nowMs() - atMs < request.putOffMs + request.graceMs) continue;
        returned.set(delivery, clock.nowMs());
        found.push(JSON.parse(delivery));
      }
      return found;
    },
  };
});

/** Keeps what it has put off, even if something else makes it due earlier. */
const keepsItPutOff = deliveriesThat(({ deliveries, clock }) => {
  const untilMs = new Map<string, number>();
  return {
    overdue: async (request) => {
      const found = await deliveries.overdue(request);
      const news = found.filter((one) => (untilMs.get(one.deliveryId) ?? 0) <= clock.nowMs());
      const nextMs = clock.nowMs() + request.putOffMs + request.graceMs;
      for (const { deliveryId } of news) untilMs.set(deliveryId, nextMs);
      return news;
    },
  };
});

expectWebhookFaultsNoticed(deliveryOverdue, {
  'are returned again once putOffMs and graceMs have passed, and others meanwhile': {
    'puts nothing off': putsNothingOff,
    'returns them once': returnsOnce,
    'returns them again without the grace': overdueThat(
      (overdue) => (request) =>
        overdue({ ...request, putOffMs: request.putOffMs - request.graceMs }),
    ),
    'returns them again too late': overdueThat(
      (overdue) => (request) => overdue({ ...request, putOffMs: request.putOffMs + 3 }),
    ),
    'puts off what it does not return': overdueThat(
      (overdue) => async (request) =>
        (await overdue({ ...request, limit: 1_000 })).slice(0, request.limit),
    ),
  },
  'are returned again while their sender is lost, whose attempt then counts as long as the lease': {
    'puts nothing off': putsNothingOff,
    'returns them once': returnsOnce,
    'takes them for longer': recordsThat((record) => ({
      ...record,
      attempts: record.attempts.map((one) => ({ ...one, durationMs: one.durationMs + 30_000 })),
    })),
    'leases them again': onceReturned((deliveries, wasReturned) => ({
      start: (request) =>
        wasReturned(request)
          ? { outcome: 'deferred', reason: 'sending', delayMs: 29_000, next: null }
          : deliveries.start(request),
    })),
  },
  'are pending, and take no room, as before': {
    'counts them twice': onceReturned((deliveries, wasReturned) => ({
      countPending: async () => {
        const m1 = { accountId: 7, webhookId: 'w1', deliveryId: 'm1' };
        return (await deliveries.countPending()) + (wasReturned(m1) ? 1 : 0);
      },
    })),
    'gives them room': onceReturned((deliveries, wasReturned) => ({
      start: (request) =>
        deliveries.start({
          ...request,
          maxInFlight: request.maxInFlight - (wasReturned(request) ? 1 : 0),
        }),
    })),
    'reschedules none for it': onceReturned((deliveries) => ({
      reschedule: (ref, request) =>
        deliveries.reschedule(ref, { ...request, maxInFlight: request.maxInFlight - 1 }),
    })),
    'wakes none as one ends': onceReturned((deliveries) => ({
      finish: async (request) => {
        const answer = await deliveries.finish(request);
        return answer.outcome === 'finished' ? { ...answer, next: null } : answer;
      },
    })),
    'has them wait': recordsThat((record) => ({ ...record, state: 'waiting' })),
  },
  'stay as late as they were when a changed rate reschedules them': {
    'has them late from there on': deliveriesThat(({ deliveries }) => ({
      reschedule: async (ref, request) => {
        await deliveries.overdue({ graceMs: 0, limit: 100, putOffMs: 0 });
        return deliveries.reschedule(ref, request);
      },
    })),
  },
  'may start at once': {
    'has them wait': onceReturned((deliveries, wasReturned) => ({
      start: (request) =>
        wasReturned(request)
          ? { outcome: 'deferred', reason: 'schedule', delayMs: 30_000, next: null }
          : deliveries.start(request),
    })),
  },
  'may still be ended by a sender that was taken for lost, and are then due by its verdict': {
    'refuses to end them': onceReturned((deliveries, wasReturned) => ({
      finish: (request) =>
        wasReturned(request) ? { outcome: 'stale' } : deliveries.finish(request),
    })),
    'keeps them put off': keepsItPutOff,
    'counts what ended': onceReturned((deliveries, wasReturned) => ({
      countPending: async () => {
        const m1 = { accountId: 7, webhookId: 'w1', deliveryId: 'm1' };
        return Math.max(await deliveries.countPending(), wasReturned(m1) ? 2 : 0);
      },
    })),
  },
  'are due when they are next scheduled': { 'keeps them put off': keepsItPutOff },
  'are not returned again if nothing is to start': { 'forgets nothing': forgetsNothing },
  'are listed with the time at which they are due again, except for those in flight': {
    'knows no time': recordsThat((record) => ({ ...record, nextAttemptAtMs: null })),
    'says when it will look for one in flight': recordsThat((record) => ({
      ...record,
      nextAttemptAtMs: record.nextAttemptAtMs ?? 1,
    })),
    'lists them as before': onceReturned((deliveries) => ({
      list: async (ref, page) => {
        const listed = await deliveries.list(ref, page);
        return listed?.map((one) => ({ ...one, nextAttemptAtMs: one.createdAtMs })) ?? null;
      },
    })),
  },
});
