import { type Clock, monotonicMs } from '../../ports/clock.ts';
import { SlotMap } from '../../slot-map.ts';
import type { DeliveryRef } from '../delivery-record.ts';
import type { NewMessage } from '../new-message.ts';
import type { WebhookRecord, WebhookRef } from '../webhook-store.ts';
import type { DeliveryIndexes, DueTime } from './delivery-indexes.ts';
import { Expiries } from './expiries.ts';
import type { Instant } from './instant.ts';
import { Line } from './line.ts';
import { RankedSequence } from './ranked-sequence.ts';
import { StartTimes } from './start-times.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import { deliveriesOf, type StoredMessage } from './stored-message.ts';
import type { StoredWebhook } from './stored-webhook.ts';
import { type Timed, TimeHeap } from './time-heap.ts';

/** What is answered if a message is published again under the same key. */
interface KnownKey {
  readonly messageId: string;
  readonly deliveries: number;
}

/** When an idempotency key is forgotten. */
interface KeyExpiry extends Timed {
  readonly name: string;
}

/** Who has to know what becomes of webhooks. */
export interface WebhookListener {
  changed(before: WebhookRecord, after: WebhookRecord): void;
  /** Whether or not it was disabled. */
  enabled(ref: WebhookRef): void;
  removed(ref: WebhookRef): void;
}

interface AccountState {
  /** In the order of creation. */
  readonly webhooks: Map<string, StoredWebhook>;
  readonly messages: SlotMap<StoredMessage>;
}

/**
 * All webhooks and deliveries, by account. Every transition begins by forgetting what has expired, and what was
 * delivered before so many others: a timer would keep the process from ending. That costs one look at the earliest
 * expiry, and O(log n) for each message in its life.
 */
export class WebhookStates implements DeliveryIndexes {
  /** Told what users and hosts change of webhooks. */
  onChange: WebhookListener | undefined;

  readonly due: TimeHeap<DueTime> = new TimeHeap();
  readonly delivered: Line<StoredDelivery> = new Line();
  readonly #clock: Clock;
  readonly #maxDelivered: number;
  readonly #accounts = new Map<number, AccountState>();
  readonly #keys = new Map<string, KnownKey>();
  readonly #messageExpiries = new Expiries<StoredMessage>();
  readonly #keyExpiries = new TimeHeap<KeyExpiry>();

  /** @param maxDelivered - deliveries kept once they are delivered, of all webhooks together; never the others */
  constructor(clock: Clock, { maxDelivered }: { readonly maxDelivered: number }) {
    this.#clock = clock;
    this.#maxDelivered = maxDelivered;
  }

  /** Call it first in every transition. */
  begin(): Instant {
    const nowMs = this.#clock.nowMs();
    this.#forgetExpired(nowMs);
    this.#forgetDelivered();
    return { nowMs, steadyMs: monotonicMs(this.#clock) };
  }

  /** How many things are kept: messages and idempotency keys until they expire, and accounts that have anything. */
  get size(): number {
    return this.#accounts.size + this.#messageExpiries.size + this.#keyExpiries.size;
  }

  /** The webhooks of an account, in the order of creation. */
  webhooks(accountId: number): ReadonlyMap<string, StoredWebhook> {
    return this.#accounts.get(accountId)?.webhooks ?? new Map();
  }

  /** The webhooks of all accounts. */
  *allWebhooks(): Generator<StoredWebhook> {
    for (const { webhooks } of this.#accounts.values()) yield* webhooks.values();
  }

  webhook({ accountId, webhookId }: WebhookRef): StoredWebhook | undefined {
    return this.#accounts.get(accountId)?.webhooks.get(webhookId);
  }

  delivery(ref: DeliveryRef): StoredDelivery | undefined {
    let delivery = this.message(ref.accountId, ref.deliveryId)?.first;
    while (delivery !== undefined && delivery.webhook.record.webhookId !== ref.webhookId) {
      delivery = delivery.sibling;
    }
    return delivery;
  }

  addWebhook(webhook: Omit<WebhookRecord, 'sequence'>): StoredWebhook {
    const { accountId, webhookId } = webhook;
    const account = this.#accounts.get(accountId) ?? {
      webhooks: new Map(),
      messages: new SlotMap(),
    };
    const newest = [...account.webhooks.values()].at(-1)?.record.sequence ?? 0;
    // Derived from the time, so that an account without webhooks need not be remembered.
    const sequence = Math.max(webhook.createdAtMs, newest + 1);
    const stored: StoredWebhook = {
      record: { ...webhook, sequence },
      failingSinceMs: null,
      rateMarginMs: 0,
      starts: new StartTimes(),
      pausedUntilMs: 0,
      leases: new TimeHeap(),
      log: new RankedSequence(),
      lastSequence: 0,
      byState: {
        queued: new RankedSequence(),
        held: new RankedSequence(),
        dead: new RankedSequence(),
      },
      retries: new RankedSequence(),
      lastRetrySequence: 0,
      wasRetryLast: false,
      parked: { queued: new RankedSequence(), waiting: new RankedSequence() },
    };
    this.#accounts.set(accountId, account);
    account.webhooks.set(webhookId, stored);
    return stored;
  }

  /** Takes time proportional to the deliveries of the webhook. */
  removeWebhook({ accountId, webhookId }: WebhookRef): boolean {
    const account = this.#accounts.get(accountId);
    const webhook = account?.webhooks.get(webhookId);
    if (account === undefined || webhook === undefined) return false;
    account.webhooks.delete(webhookId);
    this.onChange?.removed(webhook.record);
    for (const delivery of webhook.log.values()) {
      forgetDelivery(delivery);
      const { message } = delivery;
      // The message itself stays, so that it is known as published.
      if (message.first === undefined) message.body = '';
    }
    this.#forgetIfEmpty(accountId);
    return true;
  }

  message(accountId: number, messageId: string): StoredMessage | undefined {
    return this.#accounts.get(accountId)?.messages.get(messageId);
  }

  /** Begins a message of an account that has webhooks. */
  addMessage(message: NewMessage, published: number, { nowMs }: Instant): StoredMessage {
    const { accountId, messageId, event, body, retentionMs } = message;
    const stored: StoredMessage = {
      accountId,
      messageId,
      event,
      body,
      createdAtMs: nowMs,
      first: undefined,
      published,
      atMs: nowMs + retentionMs,
      heapIndex: 0,
      linePlace: null,
    };
    this.#accounts.get(accountId)?.messages.add(messageId, stored);
    this.#messageExpiries.add(stored);
    return stored;
  }

  knownKey(accountId: number, idempotencyKey: string): KnownKey | undefined {
    return this.#keys.get(nameOf(accountId, idempotencyKey));
  }

  rememberKey(message: NewMessage, deliveries: number, { nowMs }: Instant): void {
    const { accountId, messageId, idempotencyKey, idempotencyMs } = message;
    if (idempotencyKey === null) return;
    const name = nameOf(accountId, idempotencyKey);
    this.#keys.set(name, { messageId, deliveries });
    this.#keyExpiries.add({ name, atMs: nowMs + idempotencyMs, heapIndex: 0 });
  }

  #forgetExpired(nowMs: number): void {
    let message = this.#messageExpiries.take(nowMs);
    while (message !== undefined) {
      for (const delivery of deliveriesOf(message)) delivery.forget();
      this.#forgetMessage(message);
      message = this.#messageExpiries.take(nowMs);
    }
    let key = this.#keyExpiries.take(nowMs);
    while (key !== undefined) {
      this.#keys.delete(key.name);
      key = this.#keyExpiries.take(nowMs);
    }
  }

  #forgetDelivered(): void {
    while (this.delivered.size > this.#maxDelivered) {
      const oldest = this.delivered.first;
      if (oldest === undefined) return;
      forgetDelivery(oldest);
      const { message } = oldest;
      if (message.first !== undefined) continue;
      this.#messageExpiries.remove(message);
      this.#forgetMessage(message);
    }
  }

  #forgetMessage(message: StoredMessage): void {
    const { accountId, messageId } = message;
    // V8 may have put it where only full collections look, and all that it points at survives until then.
    message.first = undefined;
    message.body = '';
    this.#accounts.get(accountId)?.messages.delete(messageId);
    this.#forgetIfEmpty(accountId);
  }

  #forgetIfEmpty(accountId: number): void {
    const account = this.#accounts.get(accountId);
    if (account?.webhooks.size === 0 && account.messages.size === 0) {
      this.#accounts.delete(accountId);
    }
  }
}

/** Its message stays. */
function forgetDelivery(delivery: StoredDelivery): void {
  delivery.forget();
  const { message, sibling } = delivery;
  delivery.sibling = undefined;
  if (message.first === delivery) {
    message.first = sibling;
    return;
  }
  let before = message.first;
  while (before !== undefined && before.sibling !== delivery) before = before.sibling;
  if (before !== undefined) before.sibling = sibling;
}

/** Unambiguous, since no number has a space in it. */
function nameOf(accountId: number, idempotencyKey: string): string {
  return `${accountId} ${idempotencyKey}`;
}
