/** What holds for deliveries: the option group `webhooks`, resolved. */
export interface DeliveryPolicy {
  readonly maxWebhooksPerAccount: number;
  /** Messages and deliveries are forgotten so long after publishing, ms. */
  readonly retentionMs: number;
  /** How long an idempotency key is known, ms. */
  readonly idempotencyMs: number;
  /** Deliveries of one webhook that may wait for their first attempt; of more, the oldest are given up. */
  readonly maxQueuedPerWebhook: number;
  /** Attempts of one webhook that may be under way, over all processes. */
  readonly maxInFlightPerWebhook: number;
  /** A webhook with nothing but failures for so long is disabled, ms. */
  readonly disableAfterMs: number;
  /** How long a secret signs on beside its successor, ms. */
  readonly secretOverlapMs: number;
  /** An attempt that has not ended after so long is lost, ms. Longer than an attempt can take. */
  readonly leaseMs: number;
  /** Attempts that may be lost before the delivery is given up. */
  readonly maxLostAttempts: number;
  /** How much later than the store admitted it an attempt may really begin, ms. */
  readonly rateMarginMs: number;
  /** Whether plain http is sent to. */
  readonly allowHttp: boolean;
  /** Whether addresses are connected to that are not global unicast: loopback, private networks ... */
  readonly allowPrivateAddresses: boolean;
}
