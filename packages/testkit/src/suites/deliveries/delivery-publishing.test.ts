import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import {
  duplicatesBy,
  faultyAttempts,
  faultyListEntries,
  faultyMessages,
} from '../../self-test/faulty-deliveries.ts';
import { faultyDeliveries, faultyRequests, faultyResults } from '../../self-test/faulty-storage.ts';
import { deliveryPublishing } from './delivery-publishing.ts';

const faultyMaxQueued = (change: (maxQueued: number) => number) =>
  faultyMessages(({ maxQueued }) => ({ maxQueued: change(maxQueued) }));
const reportsNoneExpired = faultyResults('deliveries', 'publish', (result) =>
  'expired' in result ? { ...result, expired: [] } : result,
);

expectWebhookFaultsNoticed(deliveryPublishing, {
  'creates one delivery per webhook of the event, with body, URL and secrets': {
    'ignores events': faultyRequests('webhooks', 'create', () => ({ event: 'Contact.Added' })),
    'publishes to the first webhook only': faultyMessages(() => ({ webhookId: 'w1' })),
    'reserialises the body': faultyAttempts(({ body }) => ({
      body: JSON.stringify(JSON.parse(body)),
    })),
    'truncates the body': faultyAttempts(({ body }) => ({ body: body.slice(0, 65_535) })),
    'takes createdAtMs from another clock': faultyAttempts(({ createdAtMs }) => ({
      createdAtMs: createdAtMs + 1,
    })),
    'takes claimedAtMs from another clock': faultyAttempts(({ claimedAtMs }) => ({
      claimedAtMs: claimedAtMs + 1,
    })),
    'returns no expiresAtMs': faultyAttempts(() => ({ expiresAtMs: 0 })),
    'leaves out the secrets': faultyAttempts(({ webhook }) => ({
      webhook: { ...webhook, secrets: [] },
    })),
    'counts attempts from 0': faultyAttempts(({ attempt }) => ({ attempt: attempt - 1 })),
  },
  'publishes to the webhook of a given webhookId even if its event differs, or returns unknown': {
    'ignores the webhookId of a message': faultyMessages(() => ({ webhookId: null })),
    'returns published for a missing webhook': faultyResults(
      'deliveries',
      'publish',
      (result, { messageId }) =>
        result.outcome === 'unknown'
          ? { outcome: 'published', messageId, deliveries: 0, expired: [] }
          : result,
    ),
    'looks up webhooks of all accounts': faultyMessages(() => ({ accountId: 7 })),
    'remembers the key of a message that it did not publish': duplicatesBy(
      ({ idempotencyKey }) => idempotencyKey,
    ),
    'lists the event of the webhook instead of the message': faultyListEntries(() => ({
      event: 'Contact.Removed',
    })),
  },
  'expires and reports the oldest unattempted deliveries beyond maxQueued': {
    'ignores maxQueued': faultyMaxQueued(() => 1_000),
    'keeps one delivery too many': faultyMaxQueued((maxQueued) => maxQueued + 1),
    'expires one delivery too many': faultyMaxQueued((maxQueued) => maxQueued - 1),
    'does not report expired deliveries': reportsNoneExpired,
    'lists another deadReason': faultyListEntries(({ deadReason }) => ({
      deadReason: deadReason && 'exhausted',
    })),
    'expires the newest delivery': faultyListEntries(({ deliveryId, state }) => ({
      state: deliveryId === 'm5' ? 'dead' : state,
    })),
  },
  'counts only unattempted deliveries towards maxQueued, also of a disabled webhook': {
    'does not report expired deliveries': reportsNoneExpired,
    'counts retries towards maxQueued': faultyDeliveries((deliveries) => {
      let retries = 0;
      return {
        publish: (message) =>
          deliveries.publish({ ...message, maxQueued: Math.max(1, message.maxQueued - retries) }),
        complete: (ends, limits) => {
          retries += ends.filter(({ outcome }) => outcome.kind === 'retry').length;
          return deliveries.complete(ends, limits);
        },
      };
    }),
    'applies maxQueued to enabled webhooks only': faultyDeliveries((deliveries, { webhooks }) => ({
      publish: async (message) => {
        const [webhook] = await webhooks.list(message.accountId, { limit: 1, after: null });
        const isDisabled = webhook?.disabledAtMs !== null;
        return deliveries.publish(isDisabled ? { ...message, maxQueued: 1_000 } : message);
      },
    })),
  },
  'reports no delivery beyond maxQueued whose message had expired before': {
    'keeps messages beyond their retention': faultyMessages(() => ({ retentionMs: 1e9 })),
  },
  'expires the oldest deliveries first until a lowered maxQueued is reached': {
    'expires at most one delivery per message': faultyDeliveries((deliveries) => {
      let waiting = 0;
      return {
        publish: (message) => {
          const maxQueued = Math.max(waiting, message.maxQueued);
          waiting = Math.min(waiting + 1, maxQueued);
          return deliveries.publish({ ...message, maxQueued });
        },
      };
    }),
    'keeps one delivery too many': faultyMaxQueued((maxQueued) => maxQueued + 1),
    'expires one delivery too many': faultyMaxQueued((maxQueued) => maxQueued - 1),
    'does not report expired deliveries': reportsNoneExpired,
    'reports the newest expired delivery first': faultyResults('deliveries', 'publish', (result) =>
      'expired' in result ? { ...result, expired: result.expired.toReversed() } : result,
    ),
  },
});
