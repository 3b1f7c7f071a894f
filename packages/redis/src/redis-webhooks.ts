import type { WebhookStore } from '@latchhook/core/storage';
import type { CallScript } from './script-caller.ts';
import { changeWebhook } from './scripts/webhooks/change-webhook.ts';
import { createWebhook } from './scripts/webhooks/create-webhook.ts';
import { enableWebhook } from './scripts/webhooks/enable-webhook.ts';
import { findWebhook } from './scripts/webhooks/find-webhook.ts';
import { listSealedWebhooks } from './scripts/webhooks/list-sealed-webhooks.ts';
import { listWebhooks } from './scripts/webhooks/list-webhooks.ts';
import { removeWebhook } from './scripts/webhooks/remove-webhook.ts';
import { replaceSealedWebhookSecret } from './scripts/webhooks/replace-sealed-webhook-secret.ts';
import { rotateWebhookSecret } from './scripts/webhooks/rotate-webhook-secret.ts';
import type { WebhookKeys } from './webhook-keyspace.ts';

/** Webhooks in Redis: each method is one script. */
export function redisWebhooks(call: CallScript, keys: WebhookKeys): WebhookStore {
  return {
    create: (webhook, limits) => createWebhook(call, keys, webhook, limits),
    find: (ref) => findWebhook(call, keys, ref),
    list: (accountId, page) => listWebhooks(call, keys, accountId, page),
    change: (ref, change) => changeWebhook(call, keys, ref, change),
    rotateSecret: (ref, secret) => rotateWebhookSecret(call, keys, ref, secret),
    enable: (ref) => enableWebhook(call, keys, ref),
    remove: (ref) => removeWebhook(call, keys, ref),
    listSealed: (page) => listSealedWebhooks(call, keys, page),
    replaceSealed: (ref, change) => replaceSealedWebhookSecret(call, keys, ref, change),
  };
}
