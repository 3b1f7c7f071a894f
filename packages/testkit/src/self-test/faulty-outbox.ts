import type { SqlTransaction } from '@latchhook/core';
import type { DeliveryRef, DeliveryStore, NewMessage, Outbox } from '@latchhook/core/storage';
import type { HostTransaction } from '../certify-outbox.ts';
import type { StorageHarness } from '../storage-harness.ts';
import { faultyDeliveries } from './faulty-storage.ts';
import type { Reference } from './reference.ts';

/** A harness with transactions of the host in the database of the storage. */
export interface OutboxHarness extends StorageHarness {
  begin(): Promise<HostTransaction>;
}

interface OutboxRow {
  readonly message: NewMessage;
  readonly writtenAtMs: number;
}

/** The tables that an outbox uses. */
export interface OutboxDatabase {
  /** Committed rows that were not published yet, in the order of commits. */
  committed: readonly OutboxRow[];
  /** Published messages, by message id and by idempotency key. */
  readonly published: Map<string, { readonly messageId: string; readonly deliveries: number }>;
  /** Open transactions that have written something. */
  readonly open: Set<SqlTransaction>;
}

interface ReferenceOutbox extends Reference {
  readonly database: OutboxDatabase;
  readonly outbox: Outbox;
}

/** The reference with an outbox, and with some faulty methods. */
export function faultyOutbox(
  change: (reference: ReferenceOutbox) => Partial<DeliveryStore> = () => ({}),
): OutboxHarness {
  const database: OutboxDatabase = { committed: [], published: new Map(), open: new Set() };
  const stores = faultyDeliveries((withoutOutbox, reference) => {
    database.committed = [];
    database.published.clear();
    const outbox = outboxOf(reference, database);
    const deliveries = { ...withRelay(withoutOutbox, reference.clock, database), outbox };
    return { ...deliveries, ...change({ ...reference, deliveries, database, outbox }) };
  });
  return { ...stores, begin: async () => transactionOf(database) };
}

/** Publishes committed rows before each claim. */
function withRelay(
  deliveries: DeliveryStore,
  { nowMs }: Reference['clock'],
  database: OutboxDatabase,
): DeliveryStore {
  const publish: DeliveryStore['publish'] = async (message) => {
    const result = await deliveries.publish(message);
    if (result.outcome !== 'unknown') {
      for (const key of keysOf(message)) database.published.set(key, result);
    }
    return result;
  };
  return {
    ...deliveries,
    publish,
    claim: async (request) => {
      const expired: DeliveryRef[] = [];
      const rows = database.committed;
      database.committed = [];
      for (const { message } of rows) {
        const result = await publish(message);
        if (result.outcome !== 'unknown') expired.push(...result.expired);
      }
      return { ...(await deliveries.claim(request)), ...(expired.length > 0 && { expired }) };
    },
    stats: async () => {
      const { pending, oldestDueAgeMs } = await deliveries.stats();
      const ages = database.committed.map(({ writtenAtMs }) => nowMs() - writtenAtMs);
      return { pending: pending + ages.length, oldestDueAgeMs: Math.max(oldestDueAgeMs, ...ages) };
    },
  };
}

function outboxOf({ webhooks, clock }: Reference, { published, open }: OutboxDatabase): Outbox {
  return {
    publishWithin: async (tx, message) => {
      const { accountId, webhookId, event, messageId } = message;
      for (const key of keysOf(message)) {
        const first = published.get(key);
        if (first === undefined) continue;
        return { outcome: 'duplicate', messageId: first.messageId, deliveries: first.deliveries };
      }
      const registered = await webhooks.list(accountId, { limit: 100, after: null });
      const recipients = registered.filter((webhook) =>
        webhookId === null ? webhook.event === event : webhook.webhookId === webhookId,
      );
      if (webhookId !== null && recipients.length === 0) return { outcome: 'unknown' };
      open.add(tx);
      await tx.query('INSERT', [JSON.stringify({ message, writtenAtMs: clock.nowMs() })]);
      return { outcome: 'published', messageId, deliveries: recipients.length };
    },
  };
}

function transactionOf(database: OutboxDatabase): HostTransaction {
  const rows: OutboxRow[] = [];
  const transaction: HostTransaction = {
    query: async (_text, values) => {
      rows.push(...(values ?? []).map((value) => JSON.parse(String(value))));
      return { rows: [] };
    },
    commit: async () => {
      database.open.delete(transaction);
      database.committed = [...database.committed, ...rows];
    },
    rollback: async () => void database.open.delete(transaction),
  };
  return transaction;
}

function keysOf({ accountId, messageId, idempotencyKey }: NewMessage): readonly string[] {
  const id = `${accountId}/${messageId}`;
  return idempotencyKey === null ? [id] : [id, `${accountId} ${idempotencyKey}`];
}
