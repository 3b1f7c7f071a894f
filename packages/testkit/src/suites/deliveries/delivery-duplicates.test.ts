import type { AccountId } from '@latchhook/core';
import type { NewMessage } from '@latchhook/core/storage';
import { DAY_MS } from '../../samples/login-samples.ts';
import { SECOND_MS } from '../../samples/webhook-samples.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import {
  duplicatesBy,
  faultyAttempts,
  faultyClaims,
  faultyMessages,
} from '../../self-test/faulty-deliveries.ts';
import {
  faultyDeliveries,
  faultyRequests,
  faultyResults,
  faultyStorage,
  faultyWebhooks,
} from '../../self-test/faulty-storage.ts';
import { nonAtomic } from '../../self-test/reference.ts';
import { textFaults } from '../../self-test/text-faults.ts';
import { deliveryDuplicates } from './delivery-duplicates.ts';

const ENDLESS_MS = 10 ** 15;
const faultyKeys = (change: (key: string) => string) =>
  faultyMessages(({ idempotencyKey }) => ({
    idempotencyKey: idempotencyKey && change(idempotencyKey),
  }));
const faultyIdempotencyMs = (change: (message: NewMessage) => number) =>
  faultyMessages((message) => ({ idempotencyMs: change(message) }));
const faultyRetention = (change: (retentionMs: number) => number) =>
  faultyMessages(({ retentionMs }) => ({ retentionMs: change(retentionMs) }));

/** Renames messages once a webhook is removed, so that earlier ids or keys are forgotten. */
const renameAfterRemoval = (
  rename: (message: NewMessage, removed: number) => Partial<NewMessage>,
) =>
  faultyStorage(({ webhooks, deliveries }) => {
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

expectWebhookFaultsNoticed(deliveryDuplicates, {
  'returns the first message for a repeated message id or idempotency key': {
    'ignores idempotency keys': faultyMessages(() => ({ idempotencyKey: null })),
    'ignores message ids': faultyDeliveries((deliveries) => {
      let published = 0;
      return {
        publish: (message) => {
          published += 1;
          return deliveries.publish({ ...message, messageId: `${message.messageId} ${published}` });
        },
      };
    }),
    'accepts a repeated id of a message to a single webhook': faultyMessages(
      ({ webhookId, messageId }) => ({
        messageId: webhookId === null ? messageId : `${messageId} to ${webhookId}`,
      }),
    ),
    'returns the id of the duplicate instead of the first': faultyResults(
      'deliveries',
      'publish',
      (result, { messageId }) =>
        result.outcome === 'duplicate' ? { ...result, messageId } : result,
    ),
    'returns a count of 0 deliveries': faultyResults('deliveries', 'publish', (result) =>
      result.outcome === 'duplicate' ? { ...result, deliveries: 0 } : result,
    ),
    'shares idempotency keys between accounts': duplicatesBy(({ idempotencyKey, body }) =>
      body === '{}' ? null : idempotencyKey,
    ),
    'shares message ids between accounts': duplicatesBy(({ messageId, body }) =>
      body === '{}' ? null : messageId,
    ),
  },
  'compares account ids, message ids, idempotency keys and events byte by byte': {
    ...textFaults(faultyKeys),
    'confuses a key with a message id': duplicatesBy(({ idempotencyKey, messageId }) =>
      idempotencyKey === 'm0' ? 'm0' : messageId,
    ),
    'folds the case of ids': faultyMessages(({ messageId }) => ({
      messageId: messageId.toLowerCase(),
    })),
    'folds the case of events': faultyWebhooks((webhooks) => ({
      create: (webhook, limits) =>
        webhooks.create(
          webhook.webhookId === 'W1' ? { ...webhook, event: 'Contact.Added' } : webhook,
          limits,
        ),
    })),
    'rounds account ids': faultyRequests('webhooks', 'create', ({ accountId }) => ({
      accountId: rounded(accountId),
    })),
    'returns rounded account ids': faultyAttempts(({ accountId }) => ({
      accountId: rounded(accountId),
    })),
  },
  'returns duplicate for the idempotency key of a message that matched no webhook': {
    'remembers keys of messages with deliveries only': faultyDeliveries(
      (deliveries, { webhooks }) => ({
        publish: async (message) => {
          const registered = await webhooks.list(message.accountId, { limit: 1, after: null });
          const idempotencyKey = registered.length === 0 ? null : message.idempotencyKey;
          return deliveries.publish({ ...message, idempotencyKey });
        },
      }),
    ),
  },
  'accepts an idempotency key again after idempotencyMs': {
    'never forgets a key': faultyIdempotencyMs(() => ENDLESS_MS),
    'forgets keys 1 ms late': faultyIdempotencyMs(({ idempotencyMs }) => idempotencyMs + 1),
    'forgets keys 1 ms early': faultyIdempotencyMs(({ idempotencyMs }) => idempotencyMs - 1),
    'forgets keys after a fixed time': faultyIdempotencyMs(() => DAY_MS),
  },
  'accepts a message id again after retentionMs': {
    'never forgets a message id': faultyRetention(() => ENDLESS_MS),
    'forgets message ids 1 ms early': faultyRetention((retentionMs) => retentionMs - 1),
    'forgets message ids 1 ms late': faultyRetention((retentionMs) => retentionMs + 1),
  },
  'remembers a key for idempotencyMs even if its message expires earlier': {
    'forgets keys when their message expires': faultyIdempotencyMs(
      ({ idempotencyMs, retentionMs }) => Math.min(idempotencyMs, retentionMs),
    ),
  },
  'returns duplicate for a known message even after its webhook was removed': {
    'forgets keys when the webhook is removed': renameAfterRemoval(
      ({ idempotencyKey }, removed) => ({
        idempotencyKey: idempotencyKey && `${idempotencyKey} ${removed}`,
      }),
    ),
    'forgets message ids when the webhook is removed': renameAfterRemoval(
      ({ messageId }, removed) => ({
        messageId: removed === 0 ? messageId : `${messageId} ${removed}`,
      }),
    ),
    'counts deliveries of existing webhooks only': faultyResults(
      'deliveries',
      'publish',
      (result) => (result.outcome === 'duplicate' ? { ...result, deliveries: 0 } : result),
    ),
    'forgets keys 1 ms early': faultyIdempotencyMs(({ idempotencyMs }) => idempotencyMs - 1),
    'forgets message ids after a second': faultyRetention(() => SECOND_MS),
  },
  'delivers a message once if an earlier message with the same id expired unclaimed': {
    'never forgets a message id': faultyRetention(() => ENDLESS_MS),
    'delivers the second message twice': faultyClaims(({ attempts }) => ({
      attempts: [...attempts, ...attempts.filter(({ deliveryId }) => deliveryId === 'm1')],
    })),
    'gives the second message the queue position of the first': faultyClaims(({ attempts }) => ({
      attempts: attempts.toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1)),
    })),
    'sends the body of the expired message': faultyDeliveries((deliveries) => {
      const bodies = new Map<string, string>();
      return {
        publish: (message) => {
          const body = bodies.get(message.messageId) ?? message.body;
          bodies.set(message.messageId, body);
          return deliveries.publish({ ...message, body });
        },
      };
    }),
    'lists the expired message': faultyDeliveries((deliveries) => ({
      list: async (ref, page) => {
        const listed = (await deliveries.list(ref, page)) ?? [];
        return [...listed, ...listed.filter(({ deliveryId }) => deliveryId === 'm1')];
      },
    })),
  },
  'publishes one of forty parallel messages with the same key': {
    'reads and writes non-atomically': nonAtomic,
    'ignores idempotency keys': faultyMessages(() => ({ idempotencyKey: null })),
  },
});

/** Rounds as Lua does when it writes a number as text. */
function rounded(value: AccountId): number {
  return Number(Number(value).toPrecision(14));
}
