/** What holds for deliveries: the option group `webhooks`, resolved. */
export interface DeliveryPolicy {
  /** Webhooks that one account may have at a time, disabled ones too. */
  readonly maxWebhooksPerAccount: number;
  /** How long messages and deliveries are kept after publishing, ms. */
  readonly retentionMs: number;
  /** How long an idempotency key is remembered, ms. */
  readonly idempotencyMs: number;
  /** Deliveries of one webhook that may wait for their first attempt; beyond that, the oldest are given up. */
  readonly maxQueuedPerWebhook: number;
  /** Attempts of one webhook that may be in flight, over all processes. */
  readonly maxInFlightPerWebhook: number;
  /** Attempts of all webhooks of one account that may be in flight, over all processes. */
  readonly maxInFlightPerAccount: number;
  /** How long a webhook may have nothing but failures before a failed delivery, or an old one, disables it, ms. */
  readonly disableAfterMs: number;
  /** How long a secret keeps signing beside its successor, ms. */
  readonly secretOverlapMs: number;
  /**
   * How long an attempt may run before it counts as lost, ms. Attempts end by `LEASE_SLACK_MS` earlier: it is longer
   * than that.
   */
  readonly leaseMs: number;
  /** Attempts that may be lost before the delivery is given up. */
  readonly maxStalledAttempts: number;
  /** Whether deliveries may use plain http. */
  readonly allowHttp: boolean;
  /** Whether deliveries may go to addresses that are not global unicast: loopback, private networks ... */
  readonly allowPrivateAddresses: boolean;
  /** Ports that deliveries may go to. */
  readonly allowedPorts: readonly number[] | 'any';
}
