import type { WebhookRecord } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { attemptsThat } from '../../self-test/faulty-deliveries.ts';
import { deliveriesThat, webhooksThat } from '../../self-test/faulty-webhooks.ts';
import { webhookSecrets } from './webhook-secrets.ts';

type Secrets = WebhookRecord['secrets'];

/** Answers other secrets than the reference, in every answer that has them. */
function secretsThat(show: (secrets: Secrets, nowMs: number) => Secrets) {
  return webhooksThat(({ webhooks, clock }) => {
    const shown = (record: WebhookRecord | null) =>
      record && { ...record, secrets: show(record.secrets, clock.nowMs()) };
    return {
      find: async (ref) => shown(await webhooks.find(ref)),
      rotateSecret: async (ref, secret) => shown(await webhooks.rotateSecret(ref, secret)),
    };
  });
}

/** Changes how long old secrets sign. */
function overlapThat(change: (overlapMs: number) => number) {
  return webhooksThat(({ webhooks }) => ({
    rotateSecret: (ref, { encrypted, overlapMs }) =>
      webhooks.rotateSecret(ref, { encrypted, overlapMs: change(overlapMs) }),
  }));
}

/** Lets every rotation move the time at which older secrets retire. */
const prolongs = webhooksThat(({ webhooks, clock }) => {
  let known: Secrets = [];
  const live = () =>
    known.filter(({ retiresAtMs }) => retiresAtMs === null || retiresAtMs > clock.nowMs());
  return {
    find: async (ref) => {
      const record = await webhooks.find(ref);
      return record && { ...record, secrets: live() };
    },
    rotateSecret: async (ref, secret) => {
      if (known.length === 0) known = (await webhooks.find(ref))?.secrets ?? [];
      const retiresAtMs = clock.nowMs() + secret.overlapMs;
      known = [
        { encrypted: secret.encrypted, retiresAtMs: null },
        ...known.map(({ encrypted }) => ({ encrypted, retiresAtMs })),
      ];
      const record = await webhooks.rotateSecret(ref, secret);
      return record && { ...record, secrets: live() };
    },
  };
});

expectWebhookFaultsNoticed(webhookSecrets, {
  'put a new one first, and let the old one sign for overlapMs': {
    'puts the new one last': secretsThat((secrets) => secrets.toReversed()),
    'retires the old one at once': overlapThat(() => 0),
    'retires nothing': secretsThat((secrets) =>
      secrets.map(({ encrypted }) => ({ encrypted, retiresAtMs: null })),
    ),
  },
  'retire to the millisecond': {
    'is late by one': overlapThat((overlapMs) => overlapMs + 1),
    'is early by one': overlapThat((overlapMs) => overlapMs - 1),
  },
  'retire at the time that was set, whatever is rotated later': {
    'restarts their time with each rotation': prolongs,
    'keeps the last two only': secretsThat((secrets) => secrets.slice(0, 2)),
  },
  'retire at once, all of them, if one has leaked': {
    'lets them sign for a while in any case': overlapThat((overlapMs) => Math.max(1, overlapMs)),
  },
  'are limited in number: the oldest no longer sign': {
    'lets all of them sign': prolongs,
    'has one sign no more that might': secretsThat((secrets) => secrets.slice(0, 9)),
  },
  'sign an attempt if they sign when it is claimed': {
    'signs by the secrets of the publishing': deliveriesThat(({ webhooks, deliveries }) => {
      const secrets = new Map<string, Secrets>();
      return {
        publish: async (message) => {
          const record = await webhooks.find({ accountId: message.accountId, webhookId: 'w1' });
          secrets.set(message.messageId, record?.secrets ?? []);
          return deliveries.publish(message);
        },
        claim: async (request) => {
          const claim = await deliveries.claim(request);
          const attempts = claim.attempts.map((attempt) => {
            const pinned = secrets.get(attempt.deliveryId) ?? [];
            return { ...attempt, webhook: { ...attempt.webhook, secrets: pinned } };
          });
          return { ...claim, attempts };
        },
      };
    }),
    'signs by the newest alone': attemptsThat(({ webhook }) => ({
      webhook: { ...webhook, secrets: webhook.secrets.slice(0, 1) },
    })),
    'signs by those that have retired': overlapThat((overlapMs) => 2 * overlapMs),
  },
});
