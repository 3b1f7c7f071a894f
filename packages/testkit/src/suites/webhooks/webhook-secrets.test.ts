import { SIGNING_SECRETS_KEPT, type WebhookRecord } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyAttempts } from '../../self-test/faulty-deliveries.ts';
import { faultyDeliveries, faultyWebhooks } from '../../self-test/faulty-storage.ts';
import { webhookSecrets } from './webhook-secrets.ts';

type Secrets = WebhookRecord['secrets'];

/** Returns changed secrets from every method that returns secrets. */
function faultySecrets(change: (secrets: Secrets, nowMs: number) => Secrets) {
  return faultyWebhooks((webhooks, { clock }) => {
    const changed = (record: WebhookRecord | null) =>
      record && { ...record, secrets: change(record.secrets, clock.nowMs()) };
    return {
      find: async (ref) => changed(await webhooks.find(ref)),
      rotateSecret: async (ref, secret) => changed(await webhooks.rotateSecret(ref, secret)),
    };
  });
}

/** Changes for how long old secrets sign. */
function faultyOverlap(change: (overlapMs: number) => number) {
  return faultyWebhooks((webhooks) => ({
    rotateSecret: (ref, { encrypted, overlapMs }) =>
      webhooks.rotateSecret(ref, { encrypted, overlapMs: change(overlapMs) }),
  }));
}

/** Restarts the overlap of all old secrets with each rotation. */
const restartsOverlaps = faultyWebhooks((webhooks, { clock }) => {
  let everStored: Secrets = [];
  const live = () =>
    everStored.filter(({ retiresAtMs }) => retiresAtMs === null || retiresAtMs > clock.nowMs());
  return {
    find: async (ref) => {
      const record = await webhooks.find(ref);
      return record && { ...record, secrets: live() };
    },
    rotateSecret: async (ref, secret) => {
      if (everStored.length === 0) everStored = (await webhooks.find(ref))?.secrets ?? [];
      const retiresAtMs = clock.nowMs() + secret.overlapMs;
      everStored = [
        { encrypted: secret.encrypted, retiresAtMs: null },
        ...everStored.map(({ encrypted }) => ({ encrypted, retiresAtMs })),
      ];
      const record = await webhooks.rotateSecret(ref, secret);
      return record && { ...record, secrets: live() };
    },
  };
});

expectWebhookFaultsNoticed(webhookSecrets, {
  'returns the new secret first, then the old secret for overlapMs': {
    'returns the new secret last': faultySecrets((secrets) => secrets.toReversed()),
    'retires the old secret immediately': faultyOverlap(() => 0),
    'retires no secret': faultySecrets((secrets) =>
      secrets.map(({ encrypted }) => ({ encrypted, retiresAtMs: null })),
    ),
  },
  'retires an old secret in the millisecond that overlapMs ends': {
    'retires a secret 1 ms late': faultyOverlap((overlapMs) => overlapMs + 1),
    'retires a secret 1 ms early': faultyOverlap((overlapMs) => overlapMs - 1),
  },
  'keeps the retirement time of an old secret on later rotations': {
    'restarts all overlaps on each rotation': restartsOverlaps,
    'keeps the last two secrets only': faultySecrets((secrets) => secrets.slice(0, 2)),
  },
  'retires all old secrets immediately if overlapMs is 0': {
    'keeps old secrets for at least 1 ms': faultyOverlap((overlapMs) => Math.max(1, overlapMs)),
  },
  'drops the oldest secret beyond SIGNING_SECRETS_KEPT': {
    'keeps all secrets': restartsOverlaps,
    'keeps one secret too few': faultySecrets((secrets) =>
      secrets.slice(0, SIGNING_SECRETS_KEPT - 1),
    ),
  },
  'claims an attempt with the secrets that are valid at the time of the claim': {
    'returns the secrets of the time of publishing': faultyDeliveries(
      (deliveries, { webhooks }) => {
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
      },
    ),
    'returns the newest secret only': faultyAttempts(({ webhook }) => ({
      webhook: { ...webhook, secrets: webhook.secrets.slice(0, 1) },
    })),
    'returns retired secrets': faultyOverlap((overlapMs) => 2 * overlapMs),
  },
});
