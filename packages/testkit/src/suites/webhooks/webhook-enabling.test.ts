import type { WebhookRef } from '@latchhook/core/storage';
import { byWebhook, found } from '../../actions/register-webhook.ts';
import { ACCOUNT_ID } from '../../samples/webhook-samples.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { deliveriesThat, storesThat, webhooksThat } from '../../self-test/faulty-webhooks.ts';
import { webhookEnabling } from './webhook-enabling.ts';

expectWebhookFaultsNoticed(webhookEnabling, {
  'releases first tries to wait as such, and all others as retries': {
    'makes no difference': deliveriesThat(({ deliveries }) => ({
      find: async (ref) => {
        const record = await deliveries.find(ref);
        return record && { ...record, state: 'queued' };
      },
    })),
  },
  'releases all that is held, oldest first, batch by batch': {
    'lets one batch go': deliveriesThat(({ deliveries }) => ({
      release: async (ref, request) => ({
        ...found(await deliveries.release(ref, request)),
        more: false,
      }),
    })),
    'knows no batches': deliveriesThat(({ deliveries }) => ({
      release: (ref) => deliveries.release(ref, { limit: 1_000 }),
    })),
    'lets the newest go first': deliveriesThat(({ deliveries }) => ({
      release: async (ref, request) => {
        const { scheduled, ...batch } = found(await deliveries.release(ref, request));
        return { ...batch, scheduled: scheduled.toReversed() };
      },
    })),
    'goes on with the run that was held': deliveriesThat(({ deliveries }) => ({
      start: (request) => deliveries.start({ ...request, run: request.run + 1 }),
      release: async (ref, request) => {
        const { scheduled, ...batch } = found(await deliveries.release(ref, request));
        return { ...batch, scheduled: scheduled.map((one) => ({ ...one, run: one.run - 1 })) };
      },
    })),
    'always has more': deliveriesThat(({ deliveries }) => ({
      release: async (ref, request) => ({
        ...found(await deliveries.release(ref, request)),
        more: true,
      }),
    })),
  },
  'names an enabled webhook for as long as any of its deliveries are held': {
    'names none': deliveriesThat(() => ({ unreleased: async () => [] })),
    'names it though it is disabled': deliveriesThat(() => ({
      unreleased: async () => [{ accountId: ACCOUNT_ID, webhookId: 'w1' }],
    })),
    'forgets it once it was asked': deliveriesThat(({ deliveries }) => {
      let wasAsked = false;
      return {
        unreleased: async (request) => {
          const found = wasAsked ? [] : await deliveries.unreleased(request);
          wasAsked ||= found.length > 0;
          return found;
        },
      };
    }),
  },
  'names up to so many of them, and none that was disabled again or removed': {
    'names all': deliveriesThat(({ deliveries }) => ({
      unreleased: () => deliveries.unreleased({ limit: 1_000 }),
    })),
    'remembers what it named': storesThat(({ webhooks, deliveries }) => {
      const enabled = new Map<string, WebhookRef>();
      return {
        webhooks: {
          ...webhooks,
          enable: (ref) => {
            enabled.set(ref.webhookId, ref);
            return webhooks.enable(ref);
          },
        },
        deliveries: { ...deliveries, unreleased: async () => [...enabled.values()] },
      };
    }),
  },
  'names each of them now and then, though there are more than it may name': {
    'names the first': deliveriesThat(({ deliveries }) => ({
      unreleased: async ({ limit }) =>
        byWebhook(await deliveries.unreleased({ limit: 1_000 })).slice(0, limit),
    })),
  },
  'lets released deliveries start within the rate, in the order of publishing': {
    'schedules all for at once': deliveriesThat(({ deliveries }) => ({
      release: async (ref, request) => {
        const { scheduled, ...batch } = found(await deliveries.release(ref, request));
        return { ...batch, scheduled: scheduled.map((one) => ({ ...one, delayMs: 0 })) };
      },
    })),
    'knows no rate': webhooksThat(({ webhooks }) => ({
      create: (webhook, limits) => webhooks.create({ ...webhook, rateLimit: 10_000 }, limits),
    })),
  },
});
