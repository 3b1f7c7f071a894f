import type { AccountId } from '@latchhook/core';
import type { NewMessage } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import {
  attemptsThat,
  claimedThat,
  knownBy,
  messagesThat,
  publishedThat,
} from '../../self-test/faulty-deliveries.ts';
import {
  deliveriesThat,
  readThenWriteWebhooks,
  storesThat,
  webhooksThat,
} from '../../self-test/faulty-webhooks.ts';
import { mangling } from '../../self-test/mangled-texts.ts';
import { deliveryPublishingAgain } from './delivery-publishing-again.ts';

const keysAs = (change: (key: string) => string) =>
  messagesThat(({ idempotencyKey }) => ({
    idempotencyKey: idempotencyKey && change(idempotencyKey),
  }));
const remembersKeysFor = (change: (message: NewMessage) => number) =>
  messagesThat((message) => ({ idempotencyMs: change(message) }));
const retainsFor = (change: (retentionMs: number) => number) =>
  messagesThat(({ retentionMs }) => ({ retentionMs: change(retentionMs) }));

/** Forgets, as a webhook is removed, what messages were called so far. */
const forgetsByRemoval = (rename: (message: NewMessage, removed: number) => Partial<NewMessage>) =>
  storesThat(({ webhooks, deliveries }) => {
    let removed = 0;
    return {
      webhooks: {
        ...webhooks,
        remove: (ref) => {
          removed += 1;
          return webhooks.remove(ref);
        },
      },
      deliveries: {
        ...deliveries,
        publish: (message) => deliveries.publish({ ...message, ...rename(message, removed) }),
      },
    };
  });

expectWebhookFaultsNoticed(deliveryPublishingAgain, {
  'returns the first message for a repeated id or key, and publishes nothing': {
    'ignores idempotency keys': messagesThat(() => ({ idempotencyKey: null })),
    'ignores message ids': deliveriesThat(({ deliveries }) => {
      let published = 0;
      return {
        publish: (message) => {
          published += 1;
          return deliveries.publish({ ...message, messageId: `${message.messageId} ${published}` });
        },
      };
    }),
    'accepts a repeated id of a message to a single webhook': messagesThat(
      ({ webhookId, messageId }) => ({
        messageId: webhookId === null ? messageId : `${messageId} to ${webhookId}`,
      }),
    ),
    'returns the id of the duplicate instead of the first': publishedThat(
      (answer, { messageId }) =>
        answer.outcome === 'duplicate' ? { ...answer, messageId } : answer,
    ),
    'returns a count of 0 deliveries': publishedThat((answer) =>
      answer.outcome === 'duplicate' ? { ...answer, deliveries: 0 } : answer,
    ),
    'shares idempotency keys between accounts': knownBy(({ idempotencyKey, body }) =>
      body === '{}' ? null : idempotencyKey,
    ),
    'shares message ids between accounts': knownBy(({ messageId, body }) =>
      body === '{}' ? null : messageId,
    ),
  },
  'compares accounts, ids, keys and events byte by byte': {
    ...mangling(keysAs),
    'confuses a key with a message id': knownBy(({ idempotencyKey, messageId }) =>
      idempotencyKey === 'm0' ? 'm0' : messageId,
    ),
    'folds the case of ids': messagesThat(({ messageId }) => ({
      messageId: messageId.toLowerCase(),
    })),
    'folds the case of events': webhooksThat(({ webhooks }) => ({
      create: (webhook, limits) =>
        webhooks.create(
          webhook.webhookId === 'W1' ? { ...webhook, event: 'Contact.Added' } : webhook,
          limits,
        ),
    })),
    'rounds account ids': webhooksThat(({ webhooks }) => ({
      create: (webhook, limits) =>
        webhooks.create({ ...webhook, accountId: rounded(webhook.accountId) }, limits),
    })),
    'returns rounded account ids': attemptsThat(({ accountId }) => ({
      accountId: rounded(accountId),
    })),
  },
  'remembers the key of a message that matched no webhook': {
    'remembers keys of messages with deliveries only': deliveriesThat(
      ({ webhooks, deliveries }) => ({
        publish: async (message) => {
          const some = await webhooks.list(message.accountId, { limit: 1, after: null });
          const idempotencyKey = some.length === 0 ? null : message.idempotencyKey;
          return deliveries.publish({ ...message, idempotencyKey });
        },
      }),
    ),
  },
  'accepts a key again after idempotencyMs, and an id after retentionMs': {
    'never forgets a key': remembersKeysFor(() => 10 ** 15),
    'forgets keys 1 ms late': remembersKeysFor(({ idempotencyMs }) => idempotencyMs + 1),
    'forgets keys 1 ms early': remembersKeysFor(({ idempotencyMs }) => idempotencyMs - 1),
    'forgets keys when their message expires': remembersKeysFor(({ idempotencyMs, retentionMs }) =>
      Math.min(idempotencyMs, retentionMs),
    ),
    'forgets keys after a fixed time': remembersKeysFor(() => 86_400_000),
    'never forgets a message id': retainsFor(() => 10 ** 15),
    'forgets message ids 1 ms early': retainsFor((retentionMs) => retentionMs - 1),
    'forgets message ids 1 ms late': retainsFor((retentionMs) => retentionMs + 1),
  },
  'returns duplicate even after the webhook was removed': {
    'forgets keys when the webhook is removed': forgetsByRemoval(({ idempotencyKey }, removed) => ({
      idempotencyKey: idempotencyKey && `${idempotencyKey} ${removed}`,
    })),
    'forgets message ids when the webhook is removed': forgetsByRemoval(
      ({ messageId }, removed) => ({
        messageId: removed === 0 ? messageId : `${messageId} ${removed}`,
      }),
    ),
    'counts deliveries of existing webhooks only': publishedThat((answer) =>
      answer.outcome === 'duplicate' ? { ...answer, deliveries: 0 } : answer,
    ),
    'forgets keys 1 ms early': remembersKeysFor(({ idempotencyMs }) => idempotencyMs - 1),
    'forgets message ids after a second': retainsFor(() => 1_000),
  },
  'delivers a message once if an earlier one with its id expired unclaimed': {
    'never forgets a message id': retainsFor(() => 10 ** 15),
    'delivers the second message twice': claimedThat(({ attempts }) => ({
      attempts: [...attempts, ...attempts.filter(({ deliveryId }) => deliveryId === 'm1')],
    })),
    'gives the second message the queue position of the first': claimedThat(({ attempts }) => ({
      attempts: attempts.toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1)),
    })),
    'sends the body of the expired message': deliveriesThat(({ deliveries }) => {
      const bodies = new Map<string, string>();
      return {
        publish: (message) => {
          const body = bodies.get(message.messageId) ?? message.body;
          bodies.set(message.messageId, body);
          return deliveries.publish({ ...message, body });
        },
      };
    }),
    'lists the expired message': deliveriesThat(({ deliveries }) => ({
      list: async (ref, page) => {
        const all = (await deliveries.list(ref, page)) ?? [];
        return [...all, ...all.filter(({ deliveryId }) => deliveryId === 'm1')];
      },
    })),
  },
  'publishes one of forty parallel messages with the same key': {
    'reads and writes non-atomically': readThenWriteWebhooks,
    'ignores idempotency keys': messagesThat(() => ({ idempotencyKey: null })),
  },
});

/** As Lua writes numbers. */
function rounded(value: AccountId): number {
  return Number(Number(value).toPrecision(14));
}
