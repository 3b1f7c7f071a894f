import assert from 'node:assert/strict';

/** The result of a transition of a webhook that must exist. */
export function assertFound<Result>(result: Result | null): Result {
  return result ?? assert.fail('the store knows no such webhook');
}

export function sortedByWebhook<Item extends { readonly webhookId: string }>(
  items: readonly Item[],
): Item[] {
  return items.toSorted((a, b) => a.webhookId.localeCompare(b.webhookId));
}
