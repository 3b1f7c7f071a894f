import type { WebhookRecord } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import {
  faultyDeliveries,
  faultyResults,
  faultyStorage,
  faultyWebhooks,
} from '../../self-test/faulty-storage.ts';
import { webhookRepeats } from './webhook-repeats.ts';

/** Returns `completed` to stale completions. */
const acceptsStaleCompletions = faultyResults('deliveries', 'complete', (_result, ends) =>
  ends.map(() => ({ outcome: 'completed', disabled: null })),
);

expectWebhookFaultsNoticed(webhookRepeats, {
  'returns the existing webhook if create() is repeated, without counting it again': {
    'rejects an existing webhook': faultyWebhooks((webhooks) => ({
      create: async (webhook, limits) =>
        (await webhooks.find(webhook)) === null
          ? webhooks.create(webhook, limits)
          : { outcome: 'limit_reached' },
    })),
    'overwrites the existing webhook': faultyWebhooks((webhooks) => ({
      create: async (webhook, limits) => {
        const { url, rateLimit, rateLimitPeriod } = webhook;
        await webhooks.change(webhook, { url, rateLimit, rateLimitPeriod });
        return webhooks.create(webhook, limits);
      },
    })),
  },
  'returns the same webhook if change() is repeated': {
    'returns null to the second change': faultyWebhooks((webhooks) => {
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
  'stores a secret once if rotateSecret() is repeated, without extending an overlap': {
    'stores the secret twice': faultyWebhooks((webhooks) => {
      let rotations = 0;
      const withoutNumbers = (record: WebhookRecord | null) =>
        record && {
          ...record,
          secrets: record.secrets.map(({ encrypted, retiresAtMs }) => ({
            encrypted: encrypted.split('#')[0] ?? '',
            retiresAtMs,
          })),
        };
      return {
        rotateSecret: async (ref, { encrypted, overlapMs }) => {
          rotations += 1;
          const secret = { encrypted: `${encrypted}#${rotations}`, overlapMs };
          return withoutNumbers(await webhooks.rotateSecret(ref, secret));
        },
      };
    }),
    'extends the overlap of the former secret': faultyWebhooks((webhooks, { clock }) => ({
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
  'returns already_enabled if enable() is repeated': {
    'returns enabled each time': faultyResults(
      'webhooks',
      'enable',
      (enabled) => enabled && { ...enabled, outcome: 'enabled' },
    ),
    'returns null for an enabled webhook': faultyWebhooks((webhooks) => ({
      enable: async (ref) => {
        const before = await webhooks.find(ref);
        return before?.disabledAtMs == null ? null : webhooks.enable(ref);
      },
    })),
  },
  'removes one webhook if remove() is repeated': {
    'removes another webhook on the repetition': faultyWebhooks((webhooks) => ({
      remove: async (ref) => {
        if (await webhooks.remove(ref)) return true;
        const [other] = await webhooks.list(ref.accountId, { limit: 1, after: null });
        return other !== undefined && webhooks.remove(other);
      },
    })),
    'counts the removal twice': faultyWebhooks((webhooks) => {
      let count = 0;
      return {
        create: (webhook, { maxPerAccount }) => {
          count += 1;
          const isFull = count > maxPerAccount;
          return webhooks.create(webhook, { maxPerAccount: isFull ? 0 : 100 });
        },
        remove: (ref) => {
          count -= 1;
          return webhooks.remove(ref);
        },
      };
    }),
  },
  'returns duplicate if publish() is repeated, and leaves the queue unchanged': {
    'expires a queued delivery for the duplicate': faultyDeliveries((deliveries) => ({
      publish: async (message) => {
        const messageId = `${message.messageId} again`;
        await deliveries.publish({ ...message, messageId, retentionMs: 1 });
        return deliveries.publish(message);
      },
    })),
    'resets createdAtMs': faultyDeliveries((deliveries, { clock }) => ({
      list: async (ref, page) => {
        const listed = await deliveries.list(ref, page);
        return listed?.map((each) => ({ ...each, createdAtMs: clock.nowMs() })) ?? null;
      },
    })),
    'resets the age of the delivery': faultyResults('deliveries', 'stats', (stats) => ({
      ...stats,
      oldestDueAgeMs: 0,
    })),
  },
  'returns stale if complete() is repeated, without counting the failure again': {
    'returns completed each time': acceptsStaleCompletions,
    'counts the failure twice': faultyResults('deliveries', 'claim', (claim) => {
      const attempts = claim.attempts.map((each) => ({ ...each, failures: 2 * each.failures }));
      return { ...claim, attempts };
    }),
    'disables the webhook on the second completion': faultyStorage(
      ({ webhooks, deliveries, clock }) => {
        let ends = 0;
        return {
          deliveries: {
            ...deliveries,
            complete: (...request) => {
              ends += 1;
              return deliveries.complete(...request);
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
      },
    ),
  },
  'does not disable a webhook again if complete() is repeated after enable()': {
    'returns completed each time': acceptsStaleCompletions,
  },
});
