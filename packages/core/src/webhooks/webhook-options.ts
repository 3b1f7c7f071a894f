import type { EventData, WebhookEventName } from '../webhook-events.ts';
import type { StartDeliveryWorker } from './deliveries/delivery-worker.ts';
import type { StandardSchema } from './publishing/standard-schema.ts';

/** How webhooks are registered and delivered. Every process of an app should be given the same. */
export interface WebhookOptions {
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
   * Schemas of the data of events, of any library that speaks Standard Schema. `auth.events.publish` refuses
   * data that its event's schema refuses, and sends what the schema answers: data as it is declared in
   * `WebhookEventData`, or the schema does not compile here. Default: any data is taken.
   */
  readonly schemas?: {
    readonly [Event in WebhookEventName]?: StandardSchema<EventData<Event>>;
  };
}
