import type { AccountId } from '../../account-id.ts';
import type { SqlTransaction } from '../../storage/outbox.ts';
import type {
  EventData,
  EventTypes,
  GivenEvents,
  PublishedEventName,
} from '../events/event-types.ts';

/** One thing that happened to an account. */
export interface EventMessage<Data extends object = object, Id extends AccountId = number> {
  readonly accountId: Id;
  /**
   * What happened, as receivers get it: an object that JSON can hold, of 256 KiB at most with its envelope.
   * Dates become text, and instances of classes their fields. What JSON would drop or change is rejected: `undefined`,
   * functions, symbols, BigInt, numbers that are not finite, invalid dates, promises, errors, Maps, Sets, binary data,
   * inherited fields, and instances whose fields JSON does not see, such as `Headers`.
   */
  readonly data: Data;
  /**
   * Names the event, as `webhook-id` and in the body: 1 to 64 of A-Z, a-z, 0-9, `_` and `-`. The same id
   * publishes once, for as long as the event is kept: `webhooks.retentionDays`, and for less in `memoryStorage`, once
   * it is delivered. Default: `msg_` and 128 random bits.
   */
  readonly id?: string;
  /** Publishing again under the same key within a day publishes nothing: 1 to 255 characters. */
  readonly idempotencyKey?: string;
}

/** How an event is published. */
export interface PublishOptions {
  /**
   * The transaction that the event belongs to: it is published when that commits, and not if it is rolled back.
   * For a storage in the host's own database, such as `postgresStorage`. Without it, the event is published at
   * once.
   */
  readonly tx?: SqlTransaction;
}

/** An event that is stored for all of its webhooks. */
export interface PublishedEvent {
  /** Of the event that was published first, where it was published before. */
  readonly id: string;
  /** How many webhooks it is for. Those that are disabled count: they get it when they are enabled. */
  readonly deliveries: number;
}

/** Events, for the host, which publishes them to the webhooks of its accounts. */
export interface Events<Types extends EventTypes = GivenEvents, Id extends AccountId = number> {
  /**
   * The events that can be published: those of `webhooks.events` but for security events, which are published by
   * themselves. None where there are no webhooks.
   */
  readonly names: readonly PublishedEventName<Types>[];

  /**
   * Publishes an event to the webhooks of the account that are registered for it. What data it has to have is said by
   * its schema in `webhooks.events`.
   *
   * Atomicity: once it resolves, every delivery is stored, to be tried until it is delivered or dead, or its
   * retention ends; once it rejects with `temporarily_unavailable`, either all of them are or none. Idempotency: by
   * `id` and by `idempotencyKey`; give one where you publish again after a rejection.
   *
   * With `tx` it resolves once the event is written within that transaction, and all of this holds from the
   * commit on. Events of one transaction stay in their order, and come after those of transactions that had
   * committed before. How long it may take is for the host's connection to say. After a rejection, roll back.
   *
   * @throws {TypeError} for an unknown event or a security event, a bad account, id or key, and for data that JSON
   * cannot hold or its schema rejects; nothing that was in the data is quoted
   * @throws {RangeError} for data that is too large, or nested more than 500 deep
   * @throws {ConfigError} `webhooks_missing` where `createAuth` was given no `webhooks`; `outbox_missing` where
   * it is given a `tx`, and the storage cannot publish within one
   * @throws {AuthError} `temporarily_unavailable` where the storage does not answer
   * @throws what `tx.query` rejects with, the same object: the driver's error, such as a serialization failure that the
   * transaction is to be retried for. It is no fault of the storage, and none is emitted.
   *
   * @example
   * ```ts
   * import type { Auth } from '@latchhook/core';
   *
   * declare const auth: Auth;
   * await auth.events.publish('Contact.Added', {
   *   accountId: 1,
   *   data: { contactId: 'c_1', email: 'ada@example.com' },
   * });
   * ```
   */
  publish<Name extends PublishedEventName<Types>>(
    event: Name,
    message: EventMessage<EventData<Types, Name>, Id>,
    options?: PublishOptions,
  ): Promise<PublishedEvent>;
}
