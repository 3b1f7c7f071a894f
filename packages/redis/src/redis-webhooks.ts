import type { EncryptedPage, WebhookRef, WebhookStore } from '@latchhook/core/storage';
import type { CallScript } from './script-caller.ts';
import { changeWebhook } from './scripts/webhooks/change-webhook.ts';
import { createWebhook } from './scripts/webhooks/create-webhook.ts';
import { enableWebhook } from './scripts/webhooks/enable-webhook.ts';
import { findWebhook } from './scripts/webhooks/find-webhook.ts';
import { listEncryptedWebhooks } from './scripts/webhooks/list-encrypted-webhooks.ts';
import { listWebhooks } from './scripts/webhooks/list-webhooks.ts';
import { removeWebhook } from './scripts/webhooks/remove-webhook.ts';
import { replaceEncryptedWebhookSecret } from './scripts/webhooks/replace-encrypted-webhook-secret.ts';
import { rotateWebhookSecret } from './scripts/webhooks/rotate-webhook-secret.ts';
import type { WebhookPartitions } from './webhook-keyspace.ts';

/** Webhooks in Redis: each method is one script. */
export function redisWebhooks(
  call: CallScript,
  { all, of: keysOf }: WebhookPartitions,
): WebhookStore {
  /** Lists one partition after the other. A cursor is `<index of the partition>:<cursor in the partition>`. */
  async function listEncrypted(page: {
    readonly limit: number;
    readonly cursor: string | null;
  }): Promise<EncryptedPage<WebhookRef>> {
    const [index = '0', cursor = ''] = page.cursor?.split(':') ?? [];
    const keys = all[Number(index)];
    if (keys === undefined) return { items: [], nextCursor: null };
    const { limit } = page;
    const partitionPage = { limit, cursor: cursor || null };
    const { items, nextCursor } = await listEncryptedWebhooks(call, keys, partitionPage);
    if (nextCursor !== null) return { items, nextCursor: `${index}:${nextCursor}` };
    const nextIndex = Number(index) + 1;
    return { items, nextCursor: nextIndex < all.length ? `${nextIndex}:` : null };
  }

  return {
    create: (webhook, limits) => createWebhook(call, keysOf(webhook), webhook, limits),
    find: (ref) => findWebhook(call, keysOf(ref), ref),
    list: (accountId, page) => listWebhooks(call, keysOf({ accountId }), accountId, page),
    change: (ref, change) => changeWebhook(call, keysOf(ref), ref, change),
    rotateSecret: (ref, secret) => rotateWebhookSecret(call, keysOf(ref), ref, secret),
    enable: (ref) => enableWebhook(call, keysOf(ref), ref),
    remove: (ref) => removeWebhook(call, keysOf(ref), ref),
    listEncrypted,
    replaceEncrypted: (ref, change) =>
      replaceEncryptedWebhookSecret(call, keysOf(ref), ref, change),
  };
}
