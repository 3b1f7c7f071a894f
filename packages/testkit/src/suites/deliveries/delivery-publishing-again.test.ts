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
  'under an id or a key that was published before changes nothing, and names the first': {
    'knows no keys': messagesThat(() => ({ idempotencyKey: null })),
    'knows no ids': deliveriesThat(({ deliveries }) => {
      let published = 0;
      return {
        publish: (message) => {
          published += 1;
          return deliveries.publish({ ...message, messageId: `${message.messageId} ${published}` });
        },
      };
    }),
    'knows ids of messages to all webhooks only': messagesThat(({ webhookId, messageId }) => ({
      messageId: webhookId === null ? messageId : `${messageId} to ${webhookId}`,
    })),
    'names the second': publishedThat((answer, { messageId }) =>
      answer.outcome === 'duplicate' ? { ...answer, messageId } : answer,
    ),
    'counts no deliveries': publishedThat((answer) =>
      answer.outcome === 'duplicate' ? { ...answer, deliveries: 0 } : answer,
    ),
    'knows keys of all accounts': knownBy(({ idempotencyKey, body }) =>
      body === '{}' ? null : idempotencyKey,
    ),
    'knows ids of all accounts': knownBy(({ messageId, body }) =>
      body === '{}' ? null : messageId,
    ),
  },
  'compares accounts, ids, keys and events byte by byte': {
    ...mangling(keysAs),
    'keeps keys among ids': knownBy(({ idempotencyKey, messageId }) =>
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
    'rounds accounts': webhooksThat(({ webhooks }) => ({
      create: (webhook, limits) =>
        webhooks.create({ ...webhook, accountId: rounded(webhook.accountId) }, limits),
    })),
    'says rounded accounts': attemptsThat(({ accountId }) => ({ accountId: rounded(accountId) })),
  },
  'under a key to no webhook at all is known by the key': {
    'remembers keys with deliveries': deliveriesThat(({ webhooks, deliveries }) => ({
      publish: async (message) => {
        const some = await webhooks.list(message.accountId, { limit: 1, after: null });
        const idempotencyKey = some.length === 0 ? null : message.idempotencyKey;
        return deliveries.publish({ ...message, idempotencyKey });
      },
    })),
  },
  'forgets a key when its time is over, and an id with its message': {
    'forgets no key': remembersKeysFor(() => 10 ** 15),
    'forgets keys late by one': remembersKeysFor(({ idempotencyMs }) => idempotencyMs + 1),
    'forgets keys early by one': remembersKeysFor(({ idempotencyMs }) => idempotencyMs - 1),
    'forgets keys with their message': remembersKeysFor(({ idempotencyMs, retentionMs }) =>
      Math.min(idempotencyMs, retentionMs),
    ),
    'forgets keys by its own time': remembersKeysFor(() => 86_400_000),
    'forgets no id': retainsFor(() => 10 ** 15),
    'forgets ids early by one': retainsFor((retentionMs) => retentionMs - 1),
    'forgets ids late by one': retainsFor((retentionMs) => retentionMs + 1),
  },
  'is a duplicate for that time, whatever becomes of its webhook': {
    'forgets keys with their webhook': forgetsByRemoval(({ idempotencyKey }, removed) => ({
      idempotencyKey: idempotencyKey && `${idempotencyKey} ${removed}`,
    })),
    'forgets ids with their webhook': forgetsByRemoval(({ messageId }, removed) => ({
      messageId: removed === 0 ? messageId : `${messageId} ${removed}`,
    })),
    'counts the deliveries that are left': publishedThat((answer) =>
      answer.outcome === 'duplicate' ? { ...answer, deliveries: 0 } : answer,
    ),
    'forgets keys early by one': remembersKeysFor(({ idempotencyMs }) => idempotencyMs - 1),
    'forgets ids early': retainsFor(() => 1_000),
  },
  'again under an id that has expired before it was claimed delivers it once': {
    'forgets no id': retainsFor(() => 10 ** 15),
    'delivers it twice': claimedThat(({ attempts }) => ({
      attempts: [...attempts, ...attempts.filter(({ deliveryId }) => deliveryId === 'm1')],
    })),
    'gives it its old place': claimedThat(({ attempts }) => ({
      attempts: attempts.toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1)),
    })),
    'sends the body that has expired': deliveriesThat(({ deliveries }) => {
      const bodies = new Map<string, string>();
      return {
        publish: (message) => {
          const body = bodies.get(message.messageId) ?? message.body;
          bodies.set(message.messageId, body);
          return deliveries.publish({ ...message, body });
        },
      };
    }),
    'lists what has expired': deliveriesThat(({ deliveries }) => ({
      list: async (ref, page) => {
        const all = (await deliveries.list(ref, page)) ?? [];
        return [...all, ...all.filter(({ deliveryId }) => deliveryId === 'm1')];
      },
    })),
  },
  'by many at once under one key publishes once': {
    'reads, then writes': readThenWriteWebhooks,
    'knows no keys': messagesThat(() => ({ idempotencyKey: null })),
  },
});

/** As Lua writes numbers. */
function rounded(value: AccountId): number {
  return Number(Number(value).toPrecision(14));
}
