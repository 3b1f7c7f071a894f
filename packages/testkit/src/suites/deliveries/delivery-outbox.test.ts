import type { DeliveryStore, Outbox } from '@latchhook/core/storage';
import { tryWebhooks } from '../../fixtures/webhook-fixture.ts';
import { expectFaultsNoticed, Outage } from '../../self-test/expect-faults-noticed.ts';
import {
  type OutboxDatabase,
  type OutboxHarness,
  outboxThat,
} from '../../self-test/faulty-outbox.ts';
import { deliveryOutbox } from './delivery-outbox.ts';

type Within = Outbox['publishWithin'];

const writes = (
  change: (write: Within, database: OutboxDatabase, deliveries: DeliveryStore) => Within,
): OutboxHarness =>
  outboxThat(({ outbox, database, deliveries }) => ({
    outbox: { publishWithin: change(outbox.publishWithin, database, deliveries) },
  }));
/** Publishes what has committed in another order, or other messages. */
const publishes = (
  change: (committed: OutboxDatabase['committed']) => OutboxDatabase['committed'],
): OutboxHarness =>
  outboxThat(({ database, deliveries }) => ({
    claim: (request) => {
      database.committed = change(database.committed);
      return deliveries.claim(request);
    },
  }));
const publishesAtOnce = writes((write, _database, deliveries) => async (tx, message) => {
  const answer = await write(tx, message);
  await deliveries.publish(message);
  return answer;
});
const knowsNothing = writes((write, { known }) => (tx, message) => {
  known.clear();
  return write(tx, message);
});
const changed = (change: (written: OutboxDatabase['committed'][number], nth: number) => object) =>
  publishes((committed) =>
    committed.map((written, nth) => ({
      ...written,
      message: { ...written.message, ...change(written, nth) },
    })),
  );

expectFaultsNoticed(
  deliveryOutbox,
  {
    'publishes when the transaction commits, and not before': {
      'publishes at once': publishesAtOnce,
      'publishes never': publishes(() => []),
      'counts no deliveries': writes((write) => async (tx, message) => {
        const answer = await write(tx, message);
        return answer.outcome === 'published' ? { ...answer, deliveries: 0 } : answer;
      }),
      'writes another body': changed(() => ({ body: '{}' })),
    },
    'publishes nothing of a transaction that is rolled back': {
      'publishes at once': publishesAtOnce,
      'remembers the key': outboxThat(({ outbox, deliveries }) => {
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
    'keeps the order within a transaction, and of transactions that follow one another': {
      'begins with the newest': publishes((committed) => committed.toReversed()),
      'orders them by id': publishes((committed) =>
        committed.toSorted((a, b) => (a.message.messageId < b.message.messageId ? -1 : 1)),
      ),
      'takes so many, and forgets the others': publishes((committed) => committed.slice(0, 64)),
    },
    'no transaction waits for another; an event that two publish is published once': {
      'waits for a transaction that has written': writes((write, { open }) => (tx, message) => {
        const others = [...open].filter((other) => other !== tx);
        return others.length > 0 ? Promise.reject(new Outage('lock timeout')) : write(tx, message);
      }),
      'publishes under each id': changed((_written, nth) => ({ messageId: `m${nth}` })),
      'forgets keys': changed(() => ({ idempotencyKey: null })),
    },
    'knows what was published before, and which webhooks there are, as the transaction sees them': {
      'knows nothing that was published': knowsNothing,
      'names the second': writes((write) => async (tx, message) => {
        const answer = await write(tx, message);
        if (answer.outcome !== 'duplicate') return answer;
        return { ...answer, messageId: message.messageId };
      }),
      'knows no webhooks': writes((write) => async (tx, message) => {
        const answer = await write(tx, message);
        if (answer.outcome !== 'unknown') return answer;
        return { outcome: 'published', messageId: message.messageId, deliveries: 1 };
      }),
      'goes by the event': changed(() => ({ webhookId: null, event: 'Contact.Removed' })),
    },
    'passes on what the transaction throws': {
      'throws an error of its own': writes((write) => async (tx, message) => {
        try {
          return await write(tx, message);
        } catch {
          throw new Outage('the outbox is gone');
        }
      }),
      'answers as if it were written': writes(
        (write) => (tx, message) =>
          write(tx, message).catch(() => ({
            outcome: 'published',
            messageId: message.messageId,
            deliveries: 0,
          })),
      ),
    },
    'expires the oldest deliveries beyond maxQueued, and reports them in the claim': {
      'knows no bound': changed(() => ({ maxQueued: 1_000 })),
      'is one too strict': changed(({ message }) => ({ maxQueued: message.maxQueued - 1 })),
      'does not say what': outboxThat(({ deliveries }) => ({
        claim: async (request) => {
          const { expired, ...claim } = await deliveries.claim(request);
          return claim;
        },
      })),
    },
    'counts committed messages as pending, from the time they were written': {
      'counts what is published alone': outboxThat(({ deliveries, database }) => ({
        stats: async () => {
          const { committed } = database;
          database.committed = [];
          const stats = await deliveries.stats();
          database.committed = committed;
          return stats;
        },
      })),
      'counts what has not committed': outboxThat(({ deliveries, database }) => ({
        stats: async () => ({ ...(await deliveries.stats()), pending: 1 + database.open.size }),
      })),
      'knows no age': outboxThat(({ deliveries }) => ({
        stats: async () => ({ ...(await deliveries.stats()), oldestDueAgeMs: 0 }),
      })),
    },
  },
  outboxThat(),
  (harness, prove) =>
    tryWebhooks(harness, (fixture) => prove({ ...fixture, begin: () => harness.begin() })),
);
