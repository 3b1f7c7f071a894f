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
export function redisWebhooks(call: CallScript, { all, of }: WebhookPartitions): WebhookStore {
  /** Lists one partition after the other. A cursor has the index of a partition, and the cursor in it. */
  async function listEncrypted(page: {
    readonly limit: number;
    readonly cursor: string | null;
  }): Promise<EncryptedPage<WebhookRef>> {
    const [index = '0', cursor = ''] = page.cursor?.split(':') ?? [];
    const keys = all[Number(index)];
    if (keys === undefined) return { items: [], nextCursor: null };
    const { limit } = page;
    const listed = await listEncryptedWebhooks(call, keys, { limit, cursor: cursor || null });
    const next = Number(index) + 1;
    const following = next < all.length ? `${next}:` : null;
    const { items, nextCursor } = listed;
    return { items, nextCursor: nextCursor === null ? following : `${index}:${nextCursor}` };
  }

  return {
    create: (webhook, limits) => createWebhook(call, of(webhook), webhook, limits),
    find: (ref) => findWebhook(call, of(ref), ref),
    list: (accountId, page) => listWebhooks(call, of({ accountId }), accountId, page),
    change: (ref, change) => changeWebhook(call, of(ref), ref, change),
    rotateSecret: (ref, secret) => rotateWebhookSecret(call, of(ref), ref, secret),
    enable: (ref) => enableWebhook(call, of(ref), ref),
    remove: (ref) => removeWebhook(call, of(ref), ref),
    listEncrypted,
    replaceEncrypted: (ref, change) => replaceEncryptedWebhookSecret(call, of(ref), ref, change),
  };
}
