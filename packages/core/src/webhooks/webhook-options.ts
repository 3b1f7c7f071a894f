import type { StartDeliveryWorker } from './deliveries/delivery-worker.ts';
import type { EventTypes, GivenEvents } from './events/event-types.ts';

/** How webhooks are registered and delivered. Every process of an app should be given the same. */
export interface WebhookOptions<Events extends EventTypes = GivenEvents> {
  /**
   * What sends deliveries from this process: `inProcessWorker()` of `@latchhook/delivery`. `false`: this process only
   * publishes, and others send, by `createDeliveryWorker`.
   */
  readonly worker: StartDeliveryWorker | false;
  /** Whether webhooks may be plain `http:`, which shows every delivery to the network. Default: `false`. */
  readonly allowHttp?: boolean;
  /**
   * Whether deliveries may go to addresses that are not global unicast: loopback, private networks, the
   * metadata service of a cloud. For development, and for receivers of your own. Default: `false`.
   */
  readonly allowPrivateAddresses?: boolean;
  /**
   * Ports that webhooks may have. Any more would let clients knock at the mail servers, databases and shells of others.
   * Default: 443 and 8443; with `allowHttp` 80 and 8080 too; with `allowPrivateAddresses` any.
   */
  readonly allowedPorts?: readonly number[] | 'any';
  /** Webhooks that an account can have: 1 to 10,000. Default: 100. */
  readonly maxPerAccount?: number;
  /**
   * Days after publishing for which deliveries are sent, listed and can be sent again: 4 to 365. Default: 30. Of those
   * that are delivered, `memoryStorage` keeps no more than its `maxDelivered`.
   */
  readonly retentionDays?: number;
  /**
   * Deliveries of one webhook that may wait for their first attempt, while it is disabled too; beyond that, the oldest
   * are given up as `expired`: 1 to 10,000,000. Default: 100,000.
   */
  readonly maxQueuedPerWebhook?: number;
  /** Attempts of one webhook that may be in flight, over all processes: 1 to 1,000. Default: 10. */
  readonly maxInFlightPerWebhook?: number;
  /**
   * Attempts of all webhooks of one account that may be in flight, over all processes, so that no account with many
   * receivers that hang keeps others waiting: 1 to 100,000. Default: 100. Where three quarters of the `concurrency` of
   * the process that claims are fewer, they hold instead, or ten: give all workers the same.
   */
  readonly maxInFlightPerAccount?: number;
  /**
   * Days of nothing but failures after which a webhook is disabled, as soon as another delivery has used up its tries,
   * or one fails again that was published as many days ago: 1 to 365. Default: 5.
   */
  readonly disableAfterDays?: number;
  /**
   * The events that webhooks can be registered for and `auth.events.publish` takes, by name: 1 to 128 of A-Z, a-z, 0-9
   * and `. _ : / -`, at most 1,000 of them. Webhooks for a name that is taken away stay, and are shown with
   * `event_removed`. Default: {@link WEBHOOK_EVENTS}, with any object for data.
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
