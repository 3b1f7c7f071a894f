import assert from 'node:assert/strict';
import type {
  DeliveryStore,
  LinePosition,
  RescheduledDelivery,
  WebhookRef,
} from '@latchhook/core/storage';
import { POLICY } from '../samples/webhook-samples.ts';
import { found } from './register-webhook.ts';

/** All deliveries that are rescheduled, in pages of `limit`: all pages but the last must be full. */
export async function reschedule(
  deliveries: DeliveryStore,
  webhook: WebhookRef,
  limit: number,
  maxInFlight: number = POLICY.maxInFlight,
): Promise<readonly RescheduledDelivery[]> {
  const rescheduled: RescheduledDelivery[] = [];
  for (let after: LinePosition | null = null; ; ) {
    const { rateMarginMs, leaseMs } = POLICY;
    const request = { rateMarginMs, leaseMs, maxInFlight, limit, after };
    const page: readonly RescheduledDelivery[] = found(
      await deliveries.reschedule(webhook, request),
    );
    assert.ok(page.length <= limit);
    assert.ok(
      page.length === 0 || rescheduled.length % limit === 0,
      'a short page was not the last',
    );
    rescheduled.push(...page);
    const last = page.at(-1);
    if (last === undefined) return rescheduled;
    after = last.position;
  }
}
