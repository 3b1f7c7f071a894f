import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import {
  attemptsThat,
  knownBy,
  listedThat,
  messagesThat,
  publishedThat,
} from '../../self-test/faulty-deliveries.ts';
import { deliveriesThat, webhooksThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryPublishing } from './delivery-publishing.ts';

const bounds = (change: (maxQueued: number) => number) =>
  messagesThat(({ maxQueued }) => ({ maxQueued: change(maxQueued) }));
const saysNoneExpired = publishedThat((answer) =>
  'expired' in answer ? { ...answer, expired: [] } : answer,
);

expectWebhookFaultsNoticed(deliveryPublishing, {
  'gives each webhook for the event one delivery, with the body and all that sending takes': {
    'knows no event': webhooksThat(({ webhooks }) => ({
      create: (webhook, limits) => webhooks.create({ ...webhook, event: 'Contact.Added' }, limits),
    })),
    'publishes to the first': messagesThat(() => ({ webhookId: 'w1' })),
    'writes the body anew': attemptsThat(({ body }) => ({
      body: JSON.stringify(JSON.parse(body)),
    })),
    'cuts the body': attemptsThat(({ body }) => ({ body: body.slice(0, 65_535) })),
    'dates it by another clock': attemptsThat(({ createdAtMs }) => ({
      createdAtMs: createdAtMs + 1,
    })),
    'claims by another clock': attemptsThat(({ claimedAtMs }) => ({
      claimedAtMs: claimedAtMs + 1,
    })),
    'does not say when it expires': attemptsThat(() => ({ expiresAtMs: 0 })),
    'leaves the secrets out': attemptsThat(({ webhook }) => ({
      webhook: { ...webhook, secrets: [] },
    })),
    'counts attempts from 0': attemptsThat(({ attempt }) => ({ attempt: attempt - 1 })),
  },
  'to one webhook ignores its event, and is unknown without such a webhook': {
    'goes by the event': messagesThat(() => ({ webhookId: null })),
    'takes unknown for none': publishedThat((answer, { messageId }) =>
      answer.outcome === 'unknown'
        ? { outcome: 'published', messageId, deliveries: 0, expired: [] }
        : answer,
    ),
    'looks it up in all accounts': messagesThat(() => ({ accountId: 7 })),
    'remembers the key of what it did not publish': knownBy(({ idempotencyKey }) => idempotencyKey),
    'lists it with the event of the webhook': listedThat(() => ({ event: 'Contact.Removed' })),
  },
  'shows all deliveries of a message at once, or none': {
    'stores them one after the other': deliveriesThat(({ webhooks, deliveries }) => ({
      publish: async (message) => {
        const all = await webhooks.list(message.accountId, { limit: 9, after: null });
        for (const { webhookId } of all) {
          const messageId = `${message.messageId} ${webhookId}`;
          await deliveries.publish({ ...message, messageId, webhookId });
        }
        return deliveries.publish({ ...message, webhookId: 'none' });
      },
    })),
  },
  'beyond maxQueued expires the oldest deliveries without a try, and reports them': {
    'knows no bound': bounds(() => 1_000),
    'is one too generous': bounds((maxQueued) => maxQueued + 1),
    'is one too strict': bounds((maxQueued) => maxQueued - 1),
    'does not say what': saysNoneExpired,
    'does not say why': listedThat(({ deadReason }) => ({ deadReason: deadReason && 'exhausted' })),
    'gives the newest up': listedThat(({ deliveryId, state }) => ({
      state: deliveryId === 'm5' ? 'dead' : state,
    })),
  },
  'counts only deliveries without a try towards maxQueued, also of a disabled webhook': {
    'does not say what': saysNoneExpired,
    'counts retries': deliveriesThat(({ deliveries }) => {
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
    'bounds enabled ones only': deliveriesThat(({ webhooks, deliveries }) => ({
      publish: async (message) => {
        const [webhook] = await webhooks.list(message.accountId, { limit: 1, after: null });
        const isDisabled = webhook?.disabledAtMs !== null;
        return deliveries.publish(isDisabled ? { ...message, maxQueued: 1_000 } : message);
      },
    })),
  },
  'expires down to a lowered maxQueued, the oldest first': {
    'gives one up for each that is published': deliveriesThat(({ deliveries }) => {
      let waiting = 0;
      return {
        publish: (message) => {
          const maxQueued = Math.max(waiting, message.maxQueued);
          waiting = Math.min(waiting + 1, maxQueued);
          return deliveries.publish({ ...message, maxQueued });
        },
      };
    }),
    'is one too generous': bounds((maxQueued) => maxQueued + 1),
    'is one too strict': bounds((maxQueued) => maxQueued - 1),
    'does not say what': saysNoneExpired,
    'gives the newest up first': publishedThat((answer) =>
      'expired' in answer ? { ...answer, expired: answer.expired.toReversed() } : answer,
    ),
  },
});
