import type { DeliveryStore, Outbox } from '@latchhook/core/storage';
import { tryWebhooks } from '../../fixtures/webhook-fixture.ts';
import { expectFaultsNoticed, Outage } from '../../self-test/expect-faults-noticed.ts';
import {
  faultyOutbox,
  type OutboxDatabase,
  type OutboxHarness,
} from '../../self-test/faulty-outbox.ts';
import { deliveryOutbox } from './delivery-outbox.ts';

type Within = Outbox['publishWithin'];

const faultyWrites = (
  change: (write: Within, database: OutboxDatabase, deliveries: DeliveryStore) => Within,
): OutboxHarness =>
  faultyOutbox(({ outbox, database, deliveries }) => ({
    outbox: { publishWithin: change(outbox.publishWithin, database, deliveries) },
  }));
/** Publishes the committed messages in another order, or other messages. */
const faultyRelay = (
  change: (committed: OutboxDatabase['committed']) => OutboxDatabase['committed'],
): OutboxHarness =>
  faultyOutbox(({ database, deliveries }) => ({
    claim: (request) => {
      database.committed = change(database.committed);
      return deliveries.claim(request);
    },
  }));
const publishesBeforeCommit = faultyWrites(
  (write, _database, deliveries) => async (tx, message) => {
    const result = await write(tx, message);
    await deliveries.publish(message);
    return result;
  },
);
const detectsNoDuplicates = faultyWrites((write, { published }) => (tx, message) => {
  published.clear();
  return write(tx, message);
});
const faultyMessages = (
  change: (row: OutboxDatabase['committed'][number], nth: number) => object,
) =>
  faultyRelay((committed) =>
    committed.map((row, nth) => ({ ...row, message: { ...row.message, ...change(row, nth) } })),
  );

expectFaultsNoticed(
  deliveryOutbox,
  {
    'publishes a message only when its transaction commits': {
      'publishes before the commit': publishesBeforeCommit,
      'never publishes': faultyRelay(() => []),
      'returns a count of 0 deliveries': faultyWrites((write) => async (tx, message) => {
        const result = await write(tx, message);
        return result.outcome === 'published' ? { ...result, deliveries: 0 } : result;
      }),
      'writes another body': faultyMessages(() => ({ body: '{}' })),
    },
    'publishes nothing of a transaction that is rolled back': {
      'publishes before the commit': publishesBeforeCommit,
      'remembers the idempotency key after a rollback': faultyOutbox(({ outbox, deliveries }) => {
        const keys = new Set<string | null>();
        return {
          outbox: {
            publishWithin: (tx, message) => {
              keys.add(message.idempotencyKey);
              return outbox.publishWithin(tx, message);
            },
          },
          publish: async (message) =>
            keys.has(message.idempotencyKey)
              ? { outcome: 'duplicate', messageId: 'm1', deliveries: 1, expired: [] }
              : deliveries.publish(message),
        };
      }),
    },
    'keeps the order of publishing within and across transactions': {
      'publishes the newest first': faultyRelay((committed) => committed.toReversed()),
      'publishes in the order of message ids': faultyRelay((committed) =>
        committed.toSorted((a, b) => (a.message.messageId < b.message.messageId ? -1 : 1)),
      ),
      'publishes the first 64 messages and drops the rest': faultyRelay((committed) =>
        committed.slice(0, 64),
      ),
    },
    'publishes while other transactions that publish the same messages are open': {
      'blocks on another transaction that has written': faultyWrites(
        (write, { open }) =>
          (tx, message) => {
            const others = [...open].filter((other) => other !== tx);
            return others.length > 0
              ? Promise.reject(new Outage('lock timeout'))
              : write(tx, message);
          },
      ),
    },
    'publishes once what several open transactions publish by one id or idempotency key': {
      'publishes a repeated message id several times': faultyMessages((_row, nth) => ({
        messageId: `m${nth}`,
      })),
      'ignores idempotency keys': faultyMessages(() => ({ idempotencyKey: null })),
    },
    'returns duplicate or unknown within a transaction too': {
      'detects no duplicates': detectsNoDuplicates,
      'returns the id of the duplicate instead of the first': faultyWrites(
        (write) => async (tx, message) => {
          const result = await write(tx, message);
          if (result.outcome !== 'duplicate') return result;
          return { ...result, messageId: message.messageId };
        },
      ),
      'returns published for a missing webhook': faultyWrites((write) => async (tx, message) => {
        const result = await write(tx, message);
        if (result.outcome !== 'unknown') return result;
        return { outcome: 'published', messageId: message.messageId, deliveries: 1 };
      }),
      'ignores the webhookId of a message': faultyMessages(() => ({
        webhookId: null,
        event: 'Contact.Removed',
      })),
    },
    'rethrows an error of the transaction': {
      'throws another error': faultyWrites((write) => async (tx, message) => {
        try {
          return await write(tx, message);
        } catch {
          throw new Outage('the outbox is gone');
        }
      }),
      'returns published despite the error': faultyWrites(
        (write) => (tx, message) =>
          write(tx, message).catch(() => ({
            outcome: 'published',
            messageId: message.messageId,
            deliveries: 0,
          })),
      ),
    },
    'expires the oldest deliveries beyond maxQueued, and the next claim reports them': {
      'ignores maxQueued': faultyMessages(() => ({ maxQueued: 1_000 })),
      'expires one delivery too many': faultyMessages(({ message }) => ({
        maxQueued: message.maxQueued - 1,
      })),
      'does not report expired deliveries': faultyOutbox(({ deliveries }) => ({
        claim: async (request) => {
          const { expired, ...claim } = await deliveries.claim(request);
          return claim;
        },
      })),
    },
    'counts committed messages as pending, with their age since the write': {
      'counts relayed messages only': faultyOutbox(({ deliveries, database }) => ({
        stats: async () => {
          const { committed } = database;
          database.committed = [];
          const stats = await deliveries.stats();
          database.committed = committed;
          return stats;
        },
      })),
      'counts uncommitted messages': faultyOutbox(({ deliveries, database }) => ({
        stats: async () => ({ ...(await deliveries.stats()), pending: 1 + database.open.size }),
      })),
      'returns an age of 0': faultyOutbox(({ deliveries }) => ({
        stats: async () => ({ ...(await deliveries.stats()), oldestDueAgeMs: 0 }),
      })),
    },
  },
  faultyOutbox(),
  (harness, prove) =>
    tryWebhooks(harness, (fixture) =>
      prove(Object.assign(fixture, { begin: () => harness.begin() })),
    ),
);
