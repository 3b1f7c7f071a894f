import type {
  ClaimedAttempt,
  ClaimRequest,
  DeliveryRef,
  ListedDelivery,
  WebhookRef,
} from '@latchhook/core/storage';
import { claimOnce } from '../actions/claim.ts';
import { byWebhook } from '../actions/register-webhook.ts';
import type { WebhookStores } from '../fixtures/webhook-fixture.ts';

/** Claims until nothing more may start. Within each webhook, in the order of starting. */
export async function claimAllOf({ deliveries }: WebhookStores, request: Partial<ClaimRequest>) {
  const attempts: ClaimedAttempt[] = [];
  const poisoned: DeliveryRef[] = [];
  for (;;) {
    const claim = await claimOnce(deliveries, request);
    attempts.push(...claim.attempts);
    poisoned.push(...claim.poisoned);
    if (claim.nextInMs !== 0) break;
  }
  return { attempts: byWebhook(attempts), poisoned: poisoned.toSorted(byName) };
}

/** Everything in the log of a webhook, page by page. */
export async function listAllOf({ deliveries }: WebhookStores, ref: WebhookRef, limit: number) {
  const all: ListedDelivery[] = [];
  for (let after: number | null = null; ; after = all.at(-1)?.sequence ?? null) {
    const page: readonly ListedDelivery[] | null = await deliveries.list(ref, { limit, after });
    if (page === null) return null;
    all.push(...page);
    if (page.length < limit) return all;
  }
}

function byName(a: DeliveryRef, b: DeliveryRef): number {
  return nameOf(a).localeCompare(nameOf(b));
}

export function nameOf({ webhookId, deliveryId }: DeliveryRef): string {
  return `${deliveryId} to ${webhookId}`;
}
