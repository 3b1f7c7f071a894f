import type { DeliveryStore, ScheduledBatch } from '@latchhook/core/storage';
import { found } from '../../actions/register-webhook.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { recordsThat } from '../../self-test/faulty-deliveries.ts';
import { deliveriesThat, storesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryResending } from './delivery-resending.ts';

const NOTHING: ScheduledBatch = { scheduled: [], count: 0, more: false };

/** Recovers in another way than it was asked to. */
function recoversThat(
  recover: (
    deliveries: DeliveryStore,
    ...asked: Parameters<DeliveryStore['recover']>
  ) => Promise<ScheduledBatch | null>,
) {
  return deliveriesThat(({ deliveries }) => ({
    recover: (ref, request) => recover(deliveries, ref, request),
  }));
}

/** Ignores the numbers of runs, and answers requests for old ones too. */
const knowsNoRuns = deliveriesThat(({ deliveries }) => {
  const runs = new Map<string, number>();
  return {
    resend: async (ref) => {
      const answer = await deliveries.resend(ref);
      if (answer.outcome === 'scheduled') runs.set(ref.deliveryId, answer.scheduled.run);
      return answer;
    },
    start: (request) =>
      deliveries.start({ ...request, run: runs.get(request.deliveryId) ?? request.run }),
  };
});

const resendsAnything = deliveriesThat(({ deliveries }) => ({
  resend: async (ref) => {
    const answer = await deliveries.resend(ref);
    if (answer.outcome === 'scheduled') return answer;
    return { outcome: 'scheduled', scheduled: { ...ref, run: 2, delayMs: 0 } };
  },
}));

expectWebhookFaultsNoticed(deliveryResending, {
  'puts a delivered or dead delivery back to its beginning': {
    'leaves no try': deliveriesThat(({ deliveries }) => ({
      start: async (request) => {
        const answer = await deliveries.start(request);
        if (answer.outcome !== 'started') return answer;
        return { ...answer, triesBefore: answer.attempt - 1 };
      },
    })),
    'forgets how it went before': deliveriesThat(({ deliveries }) => {
      let hidden = 0;
      const shown = async (ref: Parameters<DeliveryStore['find']>[0]) => {
        const record = await deliveries.find(ref);
        return record && { ...record, attempts: record.attempts.slice(hidden) };
      };
      return {
        find: shown,
        resend: async (ref) => {
          hidden = (await shown(ref))?.attempts.length ?? 0;
          return deliveries.resend(ref);
        },
      };
    }),
    'makes it another delivery': recordsThat((record) => ({
      ...record,
      createdAtMs: record.createdAtMs + record.attempts.length,
      state: record.state === 'waiting' ? 'dead' : record.state,
    })),
    'resends what is dead only': deliveriesThat(({ deliveries }) => ({
      resend: async (ref) => {
        const record = await deliveries.find(ref);
        return record?.state === 'dead' ? deliveries.resend(ref) : { outcome: 'under_way' };
      },
    })),
  },
  'leaves a delivery alone that is on its way': {
    'resends anything': resendsAnything,
    'hurries it': recordsThat((record) => ({
      ...record,
      state: record.state === 'waiting' ? 'queued' : record.state,
    })),
  },
  'sends a delivery at once that waits for its next try': {
    'lets it wait': deliveriesThat(({ deliveries }) => ({
      resend: async (ref) => {
        const record = await deliveries.find(ref);
        return record?.state === 'waiting' ? { outcome: 'under_way' } : deliveries.resend(ref);
      },
    })),
    'begins another run each time': resendsAnything,
    'knows no runs': knowsNoRuns,
  },
  'ends the earlier run: a start of that one comes too late': { 'knows no runs': knowsNoRuns },
  'respects the rate': {
    'schedules it for at once': deliveriesThat(({ deliveries }) => ({
      resend: async (ref) => {
        const answer = await deliveries.resend(ref);
        if (answer.outcome !== 'scheduled') return answer;
        return { ...answer, scheduled: { ...answer.scheduled, delayMs: 0 } };
      },
    })),
    'lets it go first': storesThat(({ webhooks, deliveries }) => ({
      webhooks,
      deliveries: {
        ...deliveries,
        start: async (request) => {
          if (request.run > 1) await webhooks.change(request, { rateLimit: 10_000 });
          return deliveries.start(request);
        },
      },
    })),
  },
  'treats deliveries of other accounts as unknown': {
    'resends anything': resendsAnything,
    'knows no account': deliveriesThat(({ deliveries }) => ({
      resend: (ref) => deliveries.resend({ ...ref, accountId: 7 }),
    })),
  },
  'is held if the webhook is disabled, until it is enabled': {
    'resends anything': resendsAnything,
    'forgets it': deliveriesThat(({ deliveries }) => ({
      release: async () => ({ scheduled: [], count: 0, more: false }),
      resend: (ref) => deliveries.resend(ref),
    })),
  },
  'recovers what died since the given time, oldest first, batch by batch': {
    'recovers all that ever died': recoversThat((deliveries, ref, request) =>
      deliveries.recover(ref, { ...request, sinceMs: 0 }),
    ),
    'leaves out what died at that moment': recoversThat((deliveries, ref, request) =>
      deliveries.recover(ref, { ...request, sinceMs: request.sinceMs + 1 }),
    ),
    'recovers one batch': recoversThat(async (deliveries, ref, request) => ({
      ...found(await deliveries.recover(ref, request)),
      more: false,
    })),
    'knows no batches': recoversThat((deliveries, ref, request) =>
      deliveries.recover(ref, { ...request, limit: 1_000 }),
    ),
    'recovers the newest first': recoversThat(async (deliveries, ref, request) => {
      const { scheduled, ...batch } = found(await deliveries.recover(ref, request));
      return { ...batch, scheduled: scheduled.toReversed() };
    }),
  },
  'counts what it recovers, even if a disabled webhook holds it': {
    'counts what is scheduled': recoversThat(async (deliveries, ref, request) => {
      const batch = found(await deliveries.recover(ref, request));
      return { ...batch, count: batch.scheduled.length };
    }),
    'counts nothing': recoversThat(async (deliveries, ref, request) => ({
      ...found(await deliveries.recover(ref, request)),
      count: 0,
    })),
  },
  'also recovers what expired': {
    'recovers what was tried only': recoversThat(async (deliveries, ref, request) => {
      const { scheduled, ...batch } = found(await deliveries.recover(ref, request));
      const records = await Promise.all(scheduled.map((delivery) => deliveries.find(delivery)));
      return { ...batch, scheduled: scheduled.filter((_, nth) => records[nth]?.attempts.length) };
    }),
  },
  'tells an unknown webhook from one with nothing to recover, release or reschedule': {
    'knows no account': recoversThat((deliveries, ref, request) =>
      deliveries.recover({ ...ref, accountId: 7 }, request),
    ),
    'recovers nothing of an unknown webhook': recoversThat(
      async (deliveries, ref, request) => (await deliveries.recover(ref, request)) ?? NOTHING,
    ),
    'releases nothing of an unknown webhook': deliveriesThat(({ deliveries }) => ({
      release: async (ref, request) => (await deliveries.release(ref, request)) ?? NOTHING,
    })),
    'reschedules nothing of an unknown webhook': deliveriesThat(({ deliveries }) => ({
      reschedule: async (ref, request) => (await deliveries.reschedule(ref, request)) ?? [],
    })),
    'knows no webhook of which nothing is dead': recoversThat(async (deliveries, ref, request) => {
      const batch = await deliveries.recover(ref, request);
      return batch?.count === 0 ? null : batch;
    }),
    'knows no webhook of which nothing is held': deliveriesThat(({ deliveries }) => ({
      release: async (ref, request) => {
        const batch = await deliveries.release(ref, request);
        return batch?.count === 0 ? null : batch;
      },
    })),
    'knows no webhook of which nothing waits': deliveriesThat(({ deliveries }) => ({
      reschedule: async (ref, request) => {
        const rescheduled = await deliveries.reschedule(ref, request);
        return rescheduled?.length === 0 ? null : rescheduled;
      },
    })),
    'always has more': deliveriesThat(({ deliveries }) => ({
      release: async (ref, request) => {
        const batch = await deliveries.release(ref, request);
        return batch && { ...batch, more: true };
      },
    })),
  },
});
