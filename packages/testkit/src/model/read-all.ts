import type {
  ClaimedAttempt,
  ClaimRequest,
  DeliveryRef,
  ListedDelivery,
  WebhookRef,
} from '@latchhook/core/storage';
import { sortedByWebhook } from '../actions/webhook-results.ts';
import type { WebhookStores } from '../fixtures/webhook-fixture.ts';
import { CLAIM } from '../samples/attempt-samples.ts';

/** Claims until no more attempts may begin. Sorted by webhook, then in the order of the claims. */
export async function claimAll({ deliveries }: WebhookStores, request: Partial<ClaimRequest>) {
  const attempts: ClaimedAttempt[] = [];
  const poisoned: DeliveryRef[] = [];
  for (;;) {
    const claim = await deliveries.claim({ ...CLAIM, ...request });
    attempts.push(...claim.attempts);
    poisoned.push(...claim.poisoned);
    if (claim.nextInMs !== 0) break;
  }
  return { attempts: sortedByWebhook(attempts), poisoned: poisoned.toSorted(byName) };
}

/** Lists all deliveries of a webhook, page by page. */
export async function listAll({ deliveries }: WebhookStores, ref: WebhookRef, limit: number) {
  const listed: ListedDelivery[] = [];
  for (let after: number | null = null; ; after = listed.at(-1)?.sequence ?? null) {
    const page: readonly ListedDelivery[] | null = await deliveries.list(ref, { limit, after });
    if (page === null) return null;
    listed.push(...page);
    if (page.length < limit) return listed;
  }
}

function byName(a: DeliveryRef, b: DeliveryRef): number {
  return nameOf(a).localeCompare(nameOf(b));
}

export function nameOf({ webhookId, deliveryId }: DeliveryRef): string {
  return `${deliveryId} to ${webhookId}`;
}
