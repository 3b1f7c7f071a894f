import type { StartDeliveryWorker } from './deliveries/delivery-worker.ts';
import type { BuiltInEvents, EventTypes } from './events/event-types.ts';

/** How webhooks are registered and delivered. Use the same options in every process of an app. */
export interface WebhookOptions<Events extends EventTypes = BuiltInEvents> {
  /**
   * The worker that sends deliveries from this process: `inProcessWorker()` of `@latchhook/delivery`. `false`: this
   * process only publishes, and others send, with `createDeliveryWorker`.
   */
  readonly worker: StartDeliveryWorker | false;
  /** Whether webhooks may use plain `http:`, which exposes every delivery to the network. Default: `false`. */
  readonly allowHttp?: boolean;
  /**
   * Whether deliveries may be sent to addresses that are not global unicast: loopback, private networks, the metadata
   * service of a cloud. For development, and for your own receivers. Default: `false`.
   */
  readonly allowPrivateAddresses?: boolean;
  /**
   * The ports that webhooks may have. Other ports would let clients probe mail servers, databases and shells of others.
   * Default: 443 and 8443; with `allowHttp` 80 and 8080 too; with `allowPrivateAddresses` any.
   */
  readonly allowedPorts?: readonly number[] | 'any';
  /** How many webhooks an account can have: 1 to 10,000. Default: 100. */
  readonly maxPerAccount?: number;
  /**
   * How many days after publishing deliveries are sent, listed and can be redelivered: 4 to 365. Default: 30.
   * `memoryStorage` keeps at most `maxDelivered` delivered deliveries.
   */
  readonly retentionDays?: number;
  /**
   * How many deliveries of one webhook may wait for their first attempt, also while it is disabled; beyond that, the
   * oldest become dead as `expired`: 1 to 10,000,000. Default: 100,000.
   */
  readonly maxQueuedPerWebhook?: number;
  /** How many attempts of one webhook may be in flight, over all processes: 1 to 1,000. Default: 10. */
  readonly maxInFlightPerWebhook?: number;
  /**
   * How many attempts of all webhooks of one account may be in flight, over all processes, so that an account with many
   * hanging receivers does not delay others: 1 to 100,000. Default: 100. A worker uses three quarters of its
   * `concurrency` (at least ten) instead if that is less, so give all workers the same `concurrency`.
   */
  readonly maxInFlightPerAccount?: number;
  /**
   * For how many days all attempts of a webhook must have failed before it may be disabled: 1 to 365. From then on, a
   * failed attempt disables the webhook if it was the last attempt of its delivery, or if its event was published at
   * least that many days ago. Default: 5.
   */
  readonly disableAfterDays?: number;
  /**
   * The events for which webhooks can be registered and that `auth.events.publish` accepts, by name: 1 to 128 of A-Z,
   * a-z, 0-9 and `. _ : / -`, at most 1,000 events. Webhooks for a name that is removed are kept, and are shown with
   * `event_removed`. Default: {@link WEBHOOK_EVENTS}, with any object as data.
   *
   * @example
   * ```ts
   * import { createAuth, type UserStore } from '@latchhook/core';
   * import { inProcessWorker } from '@latchhook/delivery';
   * import * as v from 'valibot';
   *
   * declare const users: UserStore;
   *
   * const auth = createAuth({
   *   issuer: 'https://api.example.com',
   *   users,
   *   webhooks: {
   *     worker: inProcessWorker(),
   *     events: {
   *       'invoice.paid': {
   *         schema: v.object({ invoiceId: v.string(), cents: v.number() }),
   *         description: 'An invoice was paid in full.',
   *         example: { invoiceId: 'in_1', cents: 4200 },
   *       },
   *     },
   *   },
   * });
   *
   * await auth.events.publish('invoice.paid', {
   *   accountId: 1,
   *   data: { invoiceId: 'in_1', cents: 4200 },
   * });
   * ```
   */
  readonly events?: Events;
}
