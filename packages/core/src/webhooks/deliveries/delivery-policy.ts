/** The policy for deliveries: the resolved options `webhooks`. */
export interface DeliveryPolicy {
  /** How many webhooks one account may have, including disabled ones. */
  readonly maxWebhooksPerAccount: number;
  /** How long messages and deliveries are kept after publishing, ms. */
  readonly retentionMs: number;
  /** How long an idempotency key is stored, ms. */
  readonly idempotencyMs: number;
  /** Deliveries of one webhook that may wait for their first attempt; beyond that, the oldest expire. */
  readonly maxQueuedPerWebhook: number;
  /** Attempts of one webhook that may be in flight, over all processes. */
  readonly maxInFlightPerWebhook: number;
  /** Attempts of all webhooks of one account that may be in flight, over all processes. */
  readonly maxInFlightPerAccount: number;
  /**
   * How long all attempts of a webhook must have failed before it may be disabled, ms. From then on, a failed attempt
   * disables the webhook if it was the last attempt of its delivery, or if its message was published at least this long
   * ago.
   */
  readonly disableAfterMs: number;
  /** How long a secret keeps signing after its rotation, ms. */
  readonly secretOverlapMs: number;
  /**
   * The lease of an attempt, ms, after which it counts as stalled. Attempts end `LEASE_SLACK_MS` before their lease, so
   * the lease must be longer than that.
   */
  readonly leaseMs: number;
  /** The number of stalled attempts in a row after which the delivery is dead. */
  readonly maxStalledAttempts: number;
  /** Whether deliveries may use plain http. */
  readonly allowHttp: boolean;
  /** Whether deliveries may be sent to addresses that are not global unicast, such as loopback or private networks. */
  readonly allowPrivateAddresses: boolean;
  /** The ports to which deliveries may be sent. */
  readonly allowedPorts: readonly number[] | 'any';
}
