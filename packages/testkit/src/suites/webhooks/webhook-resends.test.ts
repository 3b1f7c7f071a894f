import type { DeliveryRef, DeliveryStore, WebhookRecord } from '@latchhook/core/storage';
import { DELIVERED, finishing } from '../../samples/webhook-samples.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { deliveriesThat, storesThat, webhooksThat } from '../../self-test/faulty-webhooks.ts';
import { webhookResends } from './webhook-resends.ts';

/** Ends an attempt again, even if it is over. */
function endsAgain(deliveries: DeliveryStore): Partial<DeliveryStore> {
  return {
    finish: async (request) => {
      const answer = await deliveries.finish(request);
      if (answer.outcome === 'finished') return answer;
      return { outcome: 'finished', state: 'waiting', disabled: null, next: null };
    },
  };
}

/** Answers a repeated call with the same batch. */
function repeating(deliveries: DeliveryStore): Partial<DeliveryStore> {
  const batches = new Map<string, ReturnType<DeliveryStore['recover']>>();
  const once = (name: string, make: () => ReturnType<DeliveryStore['recover']>) => {
    const batch = batches.get(name) ?? make();
    batches.set(name, batch);
    return batch;
  };
  return {
    recover: (ref, request) => once('recover', () => deliveries.recover(ref, request)),
    release: (ref, request) => once('release', () => deliveries.release(ref, request)),
  };
}

async function end(deliveries: DeliveryStore, delivery: DeliveryRef, attempts: number) {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    await deliveries.finish(finishing(delivery, attempt, DELIVERED));
  }
}

expectWebhookFaultsNoticed(webhookResends, {
  'a webhook created again is unchanged, and counts once': {
    'refuses what is there': webhooksThat(({ webhooks }) => ({
      create: async (webhook, limits) =>
        (await webhooks.find(webhook)) === null
          ? webhooks.create(webhook, limits)
          : { outcome: 'limit_reached' },
    })),
    'writes over it': webhooksThat(({ webhooks }) => ({
      create: async (webhook, limits) => {
        const { url, rateLimit, rateLimitPeriod } = webhook;
        await webhooks.change(webhook, { url, rateLimit, rateLimitPeriod });
        return webhooks.create(webhook, limits);
      },
    })),
  },
  'a change made again changes nothing more': {
    'finds nothing to change': webhooksThat(({ webhooks }) => {
      let url: string | undefined;
      return {
        change: async (ref, change) => {
          if (change.url === url) return null;
          url = change.url;
          return webhooks.change(ref, change);
        },
      };
    }),
  },
  'a secret rotated again is kept once, and keeps no other alive for longer': {
    'puts it there twice': webhooksThat(({ webhooks }) => {
      let rotations = 0;
      const shown = (record: WebhookRecord | null) =>
        record && {
          ...record,
          secrets: record.secrets.map(({ sealed, retiresAtMs }) => ({
            sealed: sealed.split('#')[0] ?? '',
            retiresAtMs,
          })),
        };
      return {
        rotateSecret: async (ref, { sealed, overlapMs }) => {
          rotations += 1;
          const secret = { sealed: `${sealed}#${rotations}`, overlapMs };
          return shown(await webhooks.rotateSecret(ref, secret));
        },
      };
    }),
    'keeps the other alive': webhooksThat(({ webhooks, clock }) => ({
      rotateSecret: async (ref, secret) => {
        const record = await webhooks.rotateSecret(ref, secret);
        const retiresAtMs = clock.nowMs() + secret.overlapMs;
        return (
          record && {
            ...record,
            secrets: record.secrets.map((kept) =>
              kept.retiresAtMs === null ? kept : { ...kept, retiresAtMs },
            ),
          }
        );
      },
    })),
  },
  'a webhook enabled again stays enabled, and is answered was_enabled': {
    'enables it each time': webhooksThat(({ webhooks }) => ({
      enable: async (ref) => {
        const enabled = await webhooks.enable(ref);
        return enabled && { ...enabled, outcome: 'enabled' };
      },
    })),
    'finds nothing to enable': webhooksThat(({ webhooks }) => ({
      enable: async (ref) => {
        const before = await webhooks.find(ref);
        return before?.disabledAtMs == null ? null : webhooks.enable(ref);
      },
    })),
  },
  'a removal sent again removes nothing more': {
    'takes another with it': webhooksThat(({ webhooks }) => ({
      remove: async (ref) => {
        if (await webhooks.remove(ref)) return true;
        const [other] = await webhooks.list(ref.accountId, { limit: 1, after: null });
        return other !== undefined && webhooks.remove(other);
      },
    })),
    'counts it twice': webhooksThat(({ webhooks }) => {
      let present = 0;
      return {
        create: (webhook, { maxPerAccount }) => {
          present += 1;
          const isFull = present > maxPerAccount;
          return webhooks.create(webhook, { maxPerAccount: isFull ? 0 : 100 });
        },
        remove: (ref) => {
          present -= 1;
          return webhooks.remove(ref);
        },
      };
    }),
  },
  'a message published again takes no room, and postpones nothing': {
    'makes room first': deliveriesThat(({ deliveries }) => ({
      publish: async (message) => {
        const messageId = `${message.messageId}, for which there must be room`;
        await deliveries.publish({ ...message, messageId, retentionMs: 1 });
        return deliveries.publish(message);
      },
    })),
    'dates it again': deliveriesThat(({ deliveries, clock }) => ({
      find: async (ref) => {
        const record = await deliveries.find(ref);
        return record && { ...record, nextAttemptAtMs: clock.nowMs() };
      },
    })),
  },
  'a message is overdue if its publisher died before its engine had it': {
    'loses it': deliveriesThat(() => ({ overdue: async () => [] })),
    'names one that is over': deliveriesThat(({ deliveries }) => ({
      overdue: async (request) => {
        const overdue = await deliveries.overdue(request);
        return overdue.map((delivery) => ({ ...delivery, run: 2 }));
      },
    })),
  },
  'an attempt begun again is answered sending, and counts once': {
    'counts each beginning': deliveriesThat(({ deliveries }) => {
      let begun = 0;
      return {
        start: (request) => {
          begun += 1;
          return deliveries.start({
            ...request,
            maxInFlight: Math.max(1, request.maxInFlight - begun + 1),
          });
        },
      };
    }),
    'lets it begin again': deliveriesThat(({ deliveries }) => ({
      start: (request) => deliveries.start({ ...request, leaseMs: 0 }),
    })),
  },
  'an attempt ended again changes nothing, and fails its webhook once': {
    'ends it again': deliveriesThat(({ deliveries }) => endsAgain(deliveries)),
    'fails its webhook twice': storesThat(({ webhooks, deliveries, clock }) => {
      let ends = 0;
      return {
        deliveries: {
          ...deliveries,
          finish: (request) => {
            ends += 1;
            return deliveries.finish(request);
          },
        },
        webhooks: {
          ...webhooks,
          find: async (ref) => {
            const record = await webhooks.find(ref);
            return record && { ...record, disabledAtMs: ends > 1 ? clock.nowMs() : null };
          },
        },
      };
    }),
  },
  'an attempt ended again does not disable a webhook that was enabled meanwhile': {
    'ends it again': deliveriesThat(({ deliveries }) => endsAgain(deliveries)),
  },
  'a delivery sent again twice begins one run': {
    'begins another run': deliveriesThat(({ deliveries }) => ({
      resend: async (ref) => {
        const answer = await deliveries.resend(ref);
        if (answer.outcome !== 'under_way') return answer;
        return { outcome: 'scheduled', scheduled: { ...ref, run: 3, delayMs: 0 } };
      },
    })),
    'ends what is in flight': deliveriesThat(({ deliveries }) => ({
      resend: async (ref) => {
        const answer = await deliveries.resend(ref);
        if (answer.outcome === 'under_way') await end(deliveries, ref, 3);
        return answer;
      },
    })),
  },
  'what was recovered or released is not recovered or released again': {
    'hands the same batch again': deliveriesThat(({ deliveries }) => repeating(deliveries)),
  },
});
