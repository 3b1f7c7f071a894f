import type { WebhookStore } from '@latchhook/core/storage';
import type { CallFunction } from './function-caller.ts';
import { changeWebhook } from './functions/webhooks/change-webhook.ts';
import { createWebhook } from './functions/webhooks/create-webhook.ts';
import { enableWebhook } from './functions/webhooks/enable-webhook.ts';
import { findWebhook } from './functions/webhooks/find-webhook.ts';
import { listEncryptedWebhooks } from './functions/webhooks/list-encrypted-webhooks.ts';
import { listWebhooks } from './functions/webhooks/list-webhooks.ts';
import { removeWebhook } from './functions/webhooks/remove-webhook.ts';
import { replaceEncryptedWebhookSecret } from './functions/webhooks/replace-encrypted-webhook-secret.ts';
import { rotateWebhookSecret } from './functions/webhooks/rotate-webhook-secret.ts';

/** Webhooks in PostgreSQL: each method is one call of a function. */
export function postgresWebhooks(call: CallFunction): WebhookStore {
  return {
    create: (webhook, limits) => createWebhook(call, webhook, limits),
    find: (ref) => findWebhook(call, ref),
    list: (accountId, page) => listWebhooks(call, accountId, page),
    change: (ref, change) => changeWebhook(call, ref, change),
    rotateSecret: (ref, secret) => rotateWebhookSecret(call, ref, secret),
    enable: (ref) => enableWebhook(call, ref),
    remove: (ref) => removeWebhook(call, ref),
    listEncrypted: (page) => listEncryptedWebhooks(call, page),
    replaceEncrypted: (ref, change) => replaceEncryptedWebhookSecret(call, ref, change),
  };
}
