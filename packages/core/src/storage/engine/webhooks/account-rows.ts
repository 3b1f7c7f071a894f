import type { AccountId } from '../../../account-id.ts';
import {
  NEW_QUEUE,
  type QueueState,
  queueAfterAttempt,
  queueAfterSetBack,
  queueDueBy,
  waitingInQueue,
} from '../../decisions/queue-state.ts';
import type { WebhookRecord } from '../../webhook-store.ts';
import { type Deadline, type EngineCalls, sortKeyOf } from '../engine-calls.ts';
import { readValue, readValues } from '../row-values.ts';
import type { RangeRequest } from '../storage-engine.ts';
import type { UnexpiredRows } from '../unexpired-rows.ts';
import {
  ACCOUNT,
  accountPartition,
  accountRow,
  earliestOf,
  newAccount,
  SET_BACK_MS,
  type StoredAccount,
} from './stored-account.ts';
import {
  deliveryKey,
  deliveryRow,
  isLeased,
  type LeasedDelivery,
  type QueueIndex,
  rangeOf,
  type StoredDelivery,
} from './stored-delivery.ts';
import { type StoredWebhook, type WebhookIndex, webhookKey, webhookRow } from './stored-webhook.ts';

/** Runs a transition on the rows of an account. */
export function withAccount<Result>(
  calls: EngineCalls,
  accountId: AccountId,
  transition: (account: AccountRows) => Promise<Result>,
  deadline?: Deadline,
): Promise<Result> {
  const partition = accountPartition(accountId);
  return calls.transact(
    partition,
    async (rows, nowMs) =>
      transition(await AccountRows.open(rows, { accountId, partition, nowMs })),
    deadline,
    ACCOUNT,
  );
}

/** Runs a transition that only reads webhooks and deliveries: the account itself is not loaded. */
export function readAccount<Result>(
  calls: EngineCalls,
  accountId: AccountId,
  transition: (account: AccountRows) => Promise<Result>,
): Promise<Result> {
  const partition = accountPartition(accountId);
  return calls.transact(partition, (rows, nowMs) =>
    transition(new AccountRows(rows, { accountId, partition, nowMs }, null)),
  );
}

/** The account of a transaction, and its time, ms. */
interface AccountTransaction {
  readonly accountId: AccountId;
  readonly partition: string;
  readonly nowMs: number;
}

/**
 * The rows of an account's webhooks, within one transaction. {@link AccountRows.save} writes webhooks and the account
 * once, at the end; other rows are written immediately.
 */
export class AccountRows {
  readonly rows: UnexpiredRows;
  readonly nowMs: number;
  /** The state of the account. Changed in place; stored by {@link AccountRows.save}. */
  readonly state: { -readonly [Name in keyof StoredAccount]: StoredAccount[Name] };
  readonly #partition: string;
  readonly #isStored: boolean;
  /** The webhooks that were read or changed; `null`: removed. */
  readonly #loaded = new Map<string, StoredWebhook | null>();
  readonly #changed = new Map<string, StoredWebhook>();
  /** The former due times of changed queues, ms: if one was the earliest, another queue may be the earliest now. */
  readonly #formerDueAtMs = new Set<number>();

  constructor(
    rows: UnexpiredRows,
    { accountId, partition, nowMs }: AccountTransaction,
    stored: StoredAccount | null,
  ) {
    this.rows = rows;
    this.nowMs = nowMs;
    this.#partition = partition;
    this.#isStored = stored !== null;
    this.state = { ...(stored ?? newAccount(accountId, nowMs)) };
  }

  /** Loads the account, and corrects its times if the clock was set back. */
  static async open(rows: UnexpiredRows, transaction: AccountTransaction): Promise<AccountRows> {
    const stored = (await readValue<StoredAccount>(rows, ACCOUNT)) ?? null;
    const account = new AccountRows(rows, transaction, stored);
    const setBackByMs = account.state.savedAtMs - transaction.nowMs;
    if (setBackByMs > SET_BACK_MS) await account.#correctSetBack(setBackByMs);
    return account;
  }

  async webhook(webhookId: string): Promise<StoredWebhook | null> {
    const loaded = this.#loaded.get(webhookId);
    if (loaded !== undefined) return loaded;
    const webhook = await readValue<StoredWebhook>(this.rows, webhookKey(webhookId));
    return webhook === undefined ? null : this.#load(webhook);
  }

  /** The webhooks of a range; by default all, because an account has few; in the order of creation. */
  async webhooks(
    index: WebhookIndex = 'webhook',
    request?: RangeRequest,
  ): Promise<readonly StoredWebhook[]> {
    const webhooks = await readValues<StoredWebhook>(this.rows, index, request);
    return webhooks.map((webhook) => this.#load(webhook));
  }

  addWebhook(record: WebhookRecord, queueId: string): void {
    const webhook = { record, queueId, queue: NEW_QUEUE, savedAtMs: this.nowMs };
    this.#loaded.set(record.webhookId, webhook);
    this.#changed.set(record.webhookId, webhook);
  }

  /** Changes a loaded webhook. */
  putWebhook(webhook: StoredWebhook): void {
    const { webhookId } = webhook.record;
    const former = this.#loaded.get(webhookId);
    if (former == null) throw new Error('a webhook is changed that was not loaded');
    const { dueAtMs } = former.queue;
    if (dueAtMs !== null && webhook.queue.dueAtMs !== dueAtMs) this.#formerDueAtMs.add(dueAtMs);
    this.#addToCounts(
      waitingOf(webhook) - waitingOf(former),
      webhook.queue.inFlight - former.queue.inFlight,
    );
    const saved = { ...webhook, savedAtMs: this.nowMs };
    this.#loaded.set(webhookId, saved);
    this.#changed.set(webhookId, saved);
  }

  putQueue(webhook: StoredWebhook, queue: QueueState): StoredWebhook {
    const changedWebhook = { ...webhook, queue };
    this.putWebhook(changedWebhook);
    return changedWebhook;
  }

  /** Removes a webhook. Its deliveries are no longer found, and expire. Its attempts in flight no longer count. */
  async removeWebhook(webhook: StoredWebhook): Promise<void> {
    const { webhookId } = webhook.record;
    const { dueAtMs, inFlight } = webhook.queue;
    if (dueAtMs !== null) this.#formerDueAtMs.add(dueAtMs);
    this.#addToCounts(-waitingOf(webhook), -inFlight);
    if (inFlight > 0) this.state.isCapped = false;
    this.#loaded.set(webhookId, null);
    this.#changed.delete(webhookId);
    await this.rows.delete(webhookKey(webhookId));
  }

  async delivery(key: Parameters<typeof deliveryKey>[0]): Promise<StoredDelivery | null> {
    const delivery = await readValue<StoredDelivery>(this.rows, deliveryKey(key));
    // The row of a delivery in flight does not expire, so its expiry is checked here.
    return delivery !== undefined && this.nowMs < delivery.expiresAtMs ? delivery : null;
  }

  deliveries(
    index: QueueIndex,
    queueId: string,
    { limit, from }: { readonly limit: number; readonly from?: string },
  ): Promise<readonly StoredDelivery[]> {
    return readValues(this.rows, index, rangeOf(queueId, limit, from));
  }

  async putDelivery(delivery: StoredDelivery): Promise<void> {
    await this.rows.put(deliveryRow(delivery));
  }

  /** The leases that end before `atMs`, also those of removed webhooks. */
  leasesEndingBefore(atMs: number, limit: number): Promise<readonly LeasedDelivery[]> {
    return this.#leases({ before: sortKeyOf(atMs), limit });
  }

  async deleteDelivery(delivery: StoredDelivery): Promise<void> {
    await this.rows.delete(deliveryKey(delivery));
  }

  /**
   * Schedules a retry of a delivery at `atMs`. `null`: before all others, because the last attempt was returned
   * unstarted, or has stalled.
   */
  async scheduleRetry(
    webhook: StoredWebhook,
    delivery: StoredDelivery,
    atMs: number | null,
  ): Promise<StoredWebhook> {
    const { record, queue } = webhook;
    await this.putDelivery({ ...delivery, wait: { for: 'retry', atMs } });
    // A delivery that is redelivered may wait for a retry already.
    const isCounted = delivery.wait?.for === 'retry';
    const counted = isCounted ? queue : { ...queue, retries: queue.retries + 1 };
    return this.putQueue(webhook, queueDueBy(counted, record, atMs ?? this.nowMs));
  }

  /** Records that a lease ends at `atMs`. */
  recordLeaseEnd(atMs: number): void {
    this.state.leasesEndAtMs = Math.min(this.state.leasesEndAtMs ?? atMs, atMs);
  }

  /** Reads when the next lease ends, and records it. */
  async updateNextLeaseEnd(): Promise<void> {
    const [firstLease] = await this.#leases({ limit: 1 });
    this.state.leasesEndAtMs = firstLease?.wait.lease.endsAtMs ?? null;
  }

  /** Records that an attempt has ended, so that queues that have waited for this are no longer capped. */
  endAttempt(webhook: StoredWebhook): StoredWebhook {
    this.state.isCapped = false;
    return this.putQueue(webhook, queueAfterAttempt(webhook.queue, webhook.record, this.nowMs));
  }

  /** Writes webhooks and the account. Call it last. */
  async save(): Promise<void> {
    for (const webhook of this.#changed.values()) {
      await this.rows.put(webhookRow(webhook, this.#partition));
    }
    this.state.dueAtMs = await this.#earliestDueAtMs();
    this.state.savedAtMs = this.nowMs;
    const row = accountRow(this.state, this.#partition);
    if (row !== null) await this.rows.put(row);
    else if (this.#isStored) await this.rows.delete(ACCOUNT);
  }

  async #earliestDueAtMs(): Promise<number | null> {
    const { dueAtMs } = this.state;
    if (dueAtMs !== null && this.#formerDueAtMs.has(dueAtMs)) {
      const [first] = await readValues<StoredWebhook>(this.rows, 'due', { limit: 1 });
      return first?.queue.dueAtMs ?? null;
    }
    return earliestOf([
      dueAtMs,
      ...Array.from(this.#changed.values(), ({ queue }) => queue.dueAtMs),
    ]);
  }

  async #leases(request?: RangeRequest): Promise<readonly LeasedDelivery[]> {
    return (await readValues<StoredDelivery>(this.rows, 'lease', request)).filter(isLeased);
  }

  /** Caches a webhook that was read, and corrects its times if the clock was set back. */
  #load(webhook: StoredWebhook): StoredWebhook {
    const { webhookId } = webhook.record;
    const loaded = this.#loaded.get(webhookId);
    if (loaded != null) return loaded;
    this.#loaded.set(webhookId, webhook);
    const setBackByMs = webhook.savedAtMs - this.nowMs;
    if (setBackByMs <= SET_BACK_MS) return webhook;
    return this.putQueue(webhook, queueAfterSetBack(webhook.queue, setBackByMs, this.nowMs));
  }

  #addToCounts(waiting: number, inFlight: number): void {
    this.state.waiting += waiting;
    this.state.inFlight += inFlight;
  }

  /** Corrects the queues of all webhooks and the ends of leases after the clock was set back. */
  async #correctSetBack(setBackByMs: number): Promise<void> {
    await this.webhooks();
    const { leasesEndAtMs } = this.state;
    if (leasesEndAtMs === null) return;
    this.state.leasesEndAtMs = Math.max(0, leasesEndAtMs - setBackByMs);
    for (const delivery of await this.#leases()) {
      const { lease } = delivery.wait;
      const endsAtMs = Math.max(0, lease.endsAtMs - setBackByMs);
      await this.putDelivery({
        ...delivery,
        wait: { ...delivery.wait, lease: { ...lease, endsAtMs } },
      });
    }
  }
}

function waitingOf({ record, queue }: StoredWebhook): number {
  return record.disabledAtMs === null ? waitingInQueue(queue) : 0;
}
