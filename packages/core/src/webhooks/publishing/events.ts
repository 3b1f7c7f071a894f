import type { AccountId } from '../../account-id.ts';
import type { SqlTransaction } from '../../storage/outbox.ts';
import type {
  BuiltInEvents,
  EventData,
  EventTypes,
  PublishedEventName,
} from '../events/event-types.ts';

/** An event of an account. */
export interface EventMessage<Data extends object = object, Id extends AccountId = number> {
  readonly accountId: Id;
  /**
   * The data that receivers get: an object that JSON can represent, of at most 256 KiB with its envelope. Dates become
   * text, and class instances become their fields. Values that JSON would drop or change are rejected: `undefined`,
   * functions, symbols, BigInt, numbers that are not finite, invalid dates, promises, errors, Maps, Sets, binary data,
   * inherited fields, and instances whose fields JSON does not include, such as `Headers`.
   */
  readonly data: Data;
  /**
   * The id of the event, as `webhook-id` and in the body: 1 to 64 of A-Z, a-z, 0-9, `_` and `-`. An id is published
   * once while the event is kept: for `webhooks.retentionDays`, or less in `memoryStorage` after it was delivered.
   * Default: `msg_` and 128 random bits.
   */
  readonly id?: string;
  /** Publishing again with the same key within a day does nothing. 1 to 255 characters. */
  readonly idempotencyKey?: string | undefined;
}

/** How an event is published. */
export interface PublishOptions {
  /**
   * The transaction of the event: it is published if the transaction commits, and not if it rolls back. For a storage
   * in the host's own database, such as `postgresStorage`. Without `tx`, the event is published immediately.
   */
  readonly tx?: SqlTransaction;
}

/** An event that is stored for all of its webhooks. */
export interface PublishedEvent {
  /** The id of the event; if it was published before, the id of the first publication. */
  readonly id: string;
  /** The number of webhooks that receive the event, including disabled ones, which receive it once enabled. */
  readonly deliveries: number;
}

/** Publishes events of the host to the webhooks of its accounts. */
export interface Events<Types extends EventTypes = BuiltInEvents, Id extends AccountId = number> {
  /**
   * The events that can be published: `webhooks.events` without the security events, which Latchhook publishes. Empty
   * without the option `webhooks`.
   */
  readonly names: readonly PublishedEventName<Types>[];

  /**
   * Publishes an event to the webhooks of the account that are registered for it. Its data must match its schema in
   * `webhooks.events`.
   *
   * Atomicity: when it resolves, every delivery is stored, and is attempted until it is delivered or dead, or its
   * retention ends; when it rejects with `temporarily_unavailable`, either all deliveries are stored or none.
   * Idempotency: by `id` and by `idempotencyKey`; pass one if you publish again after a rejection.
   *
   * With `tx` it resolves once the event is written within that transaction, and the above holds from the commit on.
   * Events of one transaction keep their order, and follow the events of transactions that committed before.
   * Latchhook's timeout does not apply to this call: set one on your own connection. After a rejection, roll back.
   *
   * @throws {TypeError} for an unknown event or a security event, an invalid account, id or key, and for data that JSON
   *   cannot represent or its schema rejects; the message quotes no data
   * @throws {RangeError} for data that is too large, or nested more than 500 deep
   * @throws {ConfigError} `webhooks_missing` without the option `webhooks` of `createAuth`; `outbox_missing` with a
   *   `tx` if the storage cannot publish within one
   * @throws {AuthError} `temporarily_unavailable` if the storage does not answer
   * @throws the same object with which `tx.query` rejects: the driver's error, such as a serialization failure after
   *   which the host retries the transaction. It is not a fault of the storage, and none is emitted.
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
