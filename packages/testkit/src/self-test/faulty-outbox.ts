import type { SqlTransaction } from '@latchhook/core';
import type { DeliveryRef, DeliveryStore, NewMessage, Outbox } from '@latchhook/core/storage';
import type { HostTransaction } from '../certify-outbox.ts';
import type { WebhookHarness } from '../fixtures/webhook-fixture.ts';
import { type SoundStores, storesThat } from './faulty-webhooks.ts';

/** A storage, and transactions of the host's in its database. */
export interface OutboxHarness extends WebhookHarness {
  begin(): Promise<HostTransaction>;
}

interface Written {
  readonly message: NewMessage;
  readonly writtenAtMs: number;
}

/** What an outbox knows of its database. */
export interface OutboxDatabase {
  /** What has committed and was not published yet, in the order of commits. */
  committed: readonly Written[];
  /** Of what was published, under which id and key. */
  readonly known: Map<string, { readonly messageId: string; readonly deliveries: number }>;
  /** Transactions that have written something. */
  readonly open: Set<SqlTransaction>;
}

interface SoundOutbox extends SoundStores {
  readonly database: OutboxDatabase;
  readonly outbox: Outbox;
}

/** The reference with its own outbox, and some broken methods. */
export function outboxThat(
  change: (sound: SoundOutbox) => Partial<DeliveryStore> = () => ({}),
): OutboxHarness {
  const database: OutboxDatabase = { committed: [], known: new Map(), open: new Set() };
  const stores = storesThat(({ webhooks, deliveries: plain, clock }) => {
    database.committed = [];
    database.known.clear();
    const withOutbox: SoundStores = {
      webhooks,
      clock,
      deliveries: publishing(plain, clock, database),
    };
    const outbox = outboxOf(withOutbox, database);
    const deliveries = { ...withOutbox.deliveries, outbox };
    return {
      webhooks,
      deliveries: { ...deliveries, ...change({ ...withOutbox, deliveries, database, outbox }) },
    };
  });
  return { ...stores, begin: async () => transactionOf(database) };
}

/** Publishes what has committed before it claims anything. */
function publishing(
  deliveries: DeliveryStore,
  { nowMs }: SoundStores['clock'],
  database: OutboxDatabase,
): DeliveryStore {
  const publish: DeliveryStore['publish'] = async (message) => {
    const answer = await deliveries.publish(message);
    if (answer.outcome !== 'unknown') {
      for (const name of namesOf(message)) database.known.set(name, answer);
    }
    return answer;
  };
  return {
    ...deliveries,
    publish,
    claim: async (request) => {
      const expired: DeliveryRef[] = [];
      const written = database.committed;
      database.committed = [];
      for (const { message } of written) {
        const answer = await publish(message);
        if (answer.outcome !== 'unknown') expired.push(...answer.expired);
      }
      return { ...(await deliveries.claim(request)), ...(expired.length > 0 && { expired }) };
    },
    stats: async () => {
      const { pending, oldestDueAgeMs } = await deliveries.stats();
      const ages = database.committed.map(({ writtenAtMs }) => nowMs() - writtenAtMs);
      return {
        pending: pending + ages.length,
        oldestDueAgeMs: Math.max(oldestDueAgeMs, ...ages),
      };
    },
  };
}

function outboxOf({ webhooks, clock }: SoundStores, { known, open }: OutboxDatabase): Outbox {
  return {
    publishWithin: async (tx, message) => {
      const { accountId, webhookId, event, messageId } = message;
      for (const name of namesOf(message)) {
        const first = known.get(name);
        if (first === undefined) continue;
        return { outcome: 'duplicate', messageId: first.messageId, deliveries: first.deliveries };
      }
      const all = await webhooks.list(accountId, { limit: 100, after: null });
      const addressed = all.filter((each) =>
        webhookId === null ? each.event === event : each.webhookId === webhookId,
      );
      if (webhookId !== null && addressed.length === 0) return { outcome: 'unknown' };
      open.add(tx);
      await tx.query('INSERT', [JSON.stringify({ message, writtenAtMs: clock.nowMs() })]);
      return { outcome: 'published', messageId, deliveries: addressed.length };
    },
  };
}

function transactionOf(database: OutboxDatabase): HostTransaction {
  const written: Written[] = [];
  const transaction: HostTransaction = {
    query: async (_text, values) => {
      written.push(...(values ?? []).map((value) => JSON.parse(String(value))));
      return { rows: [] };
    },
    commit: async () => {
      database.open.delete(transaction);
      database.committed = [...database.committed, ...written];
    },
    rollback: async () => void database.open.delete(transaction),
  };
  return transaction;
}

function namesOf({ accountId, messageId, idempotencyKey }: NewMessage): readonly string[] {
  const id = `${accountId}/${messageId}`;
  return idempotencyKey === null ? [id] : [id, `${accountId} ${idempotencyKey}`];
}
