import type { DeliveryRecord, DeliveryRef, DeliveryStore } from '@latchhook/core/storage';
import { noticeBrokenWebhooks } from '../../self-test/notice-broken-webhooks.ts';
import { deliveriesThat } from '../../self-test/webhooks-that.ts';
import type { WebhookHarness } from '../../webhook-trial.ts';
import { deliveryOverdue } from './delivery-overdue.ts';

type Overdue = DeliveryStore['overdue'];

function overdueThat(change: (overdue: Overdue) => Overdue): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({ overdue: change(deliveries.overdue) }));
}

/** Behaves differently towards a delivery once it was told as overdue. */
function onceTold(
  change: (
    deliveries: DeliveryStore,
    wasTold: (ref: DeliveryRef) => boolean,
  ) => Partial<DeliveryStore>,
): WebhookHarness {
  return deliveriesThat(({ deliveries }) => {
    const told = new Set<string>();
    return {
      overdue: async (request) => {
        const found = await deliveries.overdue(request);
        for (const { webhookId, deliveryId } of found) told.add(`${webhookId} ${deliveryId}`);
        return found;
      },
      ...change(deliveries, ({ webhookId, deliveryId }) => told.has(`${webhookId} ${deliveryId}`)),
    };
  });
}

/** Changes the record of each delivery that was told. */
function recordsThat(change: (record: DeliveryRecord) => DeliveryRecord): WebhookHarness {
  return onceTold((deliveries, wasTold) => ({
    find: async (ref) => {
      const record = await deliveries.find(ref);
      return record && wasTold(ref) ? change(record) : record;
    },
  }));
}

const putsNothingOff = overdueThat(
  (overdue) => (request) => overdue({ ...request, putOffMs: -request.graceMs }),
);
const tellsOnce = overdueThat((overdue) => (request) => overdue({ ...request, putOffMs: 1e9 }));

/** Tells again for ever what it told once, whatever became of it. */
const forgetsNothing = deliveriesThat(({ deliveries, clock }) => {
  const told = new Map<string, number>();
  return {
    overdue: async (request) => {
      const found = [...(await deliveries.overdue(request))];
      for (const delivery of found) told.set(JSON.stringify(delivery), clock.nowMs());
      for (const [delivery, atMs] of told) {
        if (clock.nowMs() - atMs < request.putOffMs + request.graceMs) continue;
        told.set(delivery, clock.nowMs());
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

noticeBrokenWebhooks(deliveryOverdue, {
  'are returned again once putOffMs and graceMs have passed, and others meanwhile': {
    'puts nothing off': putsNothingOff,
    'returns them once': tellsOnce,
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
    'returns them once': tellsOnce,
    'takes them for longer': recordsThat((record) => ({
      ...record,
      attempts: record.attempts.map((one) => ({ ...one, durationMs: one.durationMs + 30_000 })),
    })),
    'leases them again': onceTold((deliveries, wasTold) => ({
      start: (request) =>
        wasTold(request)
          ? { outcome: 'deferred', by: 'sending', delayMs: 29_000, next: null }
          : deliveries.start(request),
    })),
  },
  'are pending, and take no room, as before': {
    'counts them twice': onceTold((deliveries, wasTold) => ({
      countPending: async () => {
        const m1 = { accountId: 7, webhookId: 'w1', deliveryId: 'm1' };
        return (await deliveries.countPending()) + (wasTold(m1) ? 1 : 0);
      },
    })),
    'gives them room': onceTold((deliveries, wasTold) => ({
      start: (request) =>
        deliveries.start({
          ...request,
          maxInFlight: request.maxInFlight - (wasTold(request) ? 1 : 0),
        }),
    })),
    'reschedules none for it': onceTold((deliveries) => ({
      reschedule: (ref, request) =>
        deliveries.reschedule(ref, { ...request, maxInFlight: request.maxInFlight - 1 }),
    })),
    'wakes none as one ends': onceTold((deliveries) => ({
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
    'has them wait': onceTold((deliveries, wasTold) => ({
      start: (request) =>
        wasTold(request)
          ? { outcome: 'deferred', by: 'schedule', delayMs: 30_000, next: null }
          : deliveries.start(request),
    })),
  },
  'may still be ended by a sender that was taken for lost, and are then due by its verdict': {
    'refuses to end them': onceTold((deliveries, wasTold) => ({
      finish: (request) => (wasTold(request) ? { outcome: 'stale' } : deliveries.finish(request)),
    })),
    'keeps them put off': keepsItPutOff,
    'counts what ended': onceTold((deliveries, wasTold) => ({
      countPending: async () => {
        const m1 = { accountId: 7, webhookId: 'w1', deliveryId: 'm1' };
        return Math.max(await deliveries.countPending(), wasTold(m1) ? 2 : 0);
      },
    })),
  },
  'are due when they are next scheduled': { 'keeps them put off': keepsItPutOff },
  'are not returned again if nothing is to start': { 'forgets nothing': forgetsNothing },
  'are listed with the time at which they are due again, except for those in flight': {
    'knows no time': recordsThat((record) => ({ ...record, nextAttemptAtMs: null })),
    'says when it will look for one under way': recordsThat((record) => ({
      ...record,
      nextAttemptAtMs: record.nextAttemptAtMs ?? 1,
    })),
    'lists them as before': onceTold((deliveries) => ({
      list: async (ref, page) => {
        const listed = await deliveries.list(ref, page);
        return listed?.map((one) => ({ ...one, nextAttemptAtMs: one.createdAtMs })) ?? null;
      },
    })),
  },
});
