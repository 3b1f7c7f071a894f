import type { DeliveryStore, ListedDelivery, WebhookRef } from '@latchhook/core/storage';

const PAGE = 100;

/** All of a webhook's deliveries, oldest first. */
export async function deliveryLog(
  deliveries: Pick<DeliveryStore, 'list'>,
  webhook: WebhookRef,
): Promise<readonly ListedDelivery[]> {
  const log: ListedDelivery[] = [];
  let after: number | null = null;
  for (;;) {
    const page: readonly ListedDelivery[] =
      (await deliveries.list(webhook, { limit: PAGE, after })) ?? [];
    log.push(...page);
    if (page.length < PAGE) return log.reverse();
    after = page.at(-1)?.sequence ?? null;
  }
}
