import type { NewMessage, PublishOutcome } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { publicationsThat, publishesThat } from '../../self-test/faulty-deliveries.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryIdempotency } from './delivery-idempotency.ts';

const knowsNoKey = publishesThat(() => ({ idempotencyKey: null }));

expectWebhookFaultsNoticed(deliveryIdempotency, {
  'publishes once under one idempotency key, for idempotencyMs': {
    'knows no key': knowsNoKey,
    'keeps a key for ever': publishesThat(() => ({
      idempotencyMs: Number.MAX_SAFE_INTEGER / 2,
    })),
    'answers the id that it was given': deliveriesThat(({ deliveries }) => ({
      publish: async (message) => {
        const answer = await deliveries.publish(message);
        if (answer.outcome !== 'duplicate') return answer;
        return { ...answer, messageId: message.messageId };
      },
    })),
  },
  'keeps the idempotency keys of accounts apart': {
    'has one account': publishesThat(() => ({ accountId: 7 })),
  },
  'publishes a message id once': {
    'knows keys only': deliveriesThat(({ deliveries }) => {
      const published = new Set<string>();
      const again = (message: NewMessage) => ({ ...message, messageId: `${message.messageId}+` });
      return {
        publish: (message) => {
          const isKnown = published.has(message.messageId);
          published.add(message.messageId);
          return deliveries.publish(isKnown ? again(message) : message);
        },
      };
    }),
    'takes the body of the second': deliveriesThat(({ deliveries }) => {
      let body = '';
      return {
        publish: (message) => {
          body = message.body;
          return deliveries.publish(message);
        },
        start: async (request) => {
          const answer = await deliveries.start(request);
          return answer.outcome === 'started' ? { ...answer, body } : answer;
        },
      };
    }),
  },
  'returns the deliveries that never started to a repeated publish': {
    'hands nothing': publicationsThat((answer) =>
      answer.outcome === 'duplicate' ? { ...answer, scheduled: [] } : answer,
    ),
    'hands all': deliveriesThat(({ deliveries }) => {
      let first: PublishOutcome | undefined;
      return {
        publish: async (message) => {
          const answer = await deliveries.publish(message);
          first ??= answer;
          if (answer.outcome !== 'duplicate' || first.outcome !== 'published') return answer;
          return { ...answer, scheduled: first.scheduled };
        },
      };
    }),
  },
});
