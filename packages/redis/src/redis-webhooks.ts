import type { WebhookStore } from '@latchhook/core/storage';
import { changeWebhook } from './scripts/webhooks/change-webhook.ts';
import { createWebhook } from './scripts/webhooks/create-webhook.ts';
import { enableWebhook } from './scripts/webhooks/enable-webhook.ts';
import { findWebhook } from './scripts/webhooks/find-webhook.ts';
import { listEncryptedWebhooks } from './scripts/webhooks/list-encrypted-webhooks.ts';
import { listWebhooks } from './scripts/webhooks/list-webhooks.ts';
import { removeWebhook } from './scripts/webhooks/remove-webhook.ts';
import { replaceEncryptedWebhookSecret } from './scripts/webhooks/replace-encrypted-webhook-secret.ts';
import { rotateWebhookSecret } from './scripts/webhooks/rotate-webhook-secret.ts';
import type { StoreDeps } from './store-methods.ts';

/** Webhooks in Redis: each method is one script. */
export function redisWebhooks(deps: StoreDeps): WebhookStore {
  return {
    create: createWebhook(deps),
    find: findWebhook(deps),
    list: listWebhooks(deps),
    change: changeWebhook(deps),
    rotateSecret: rotateWebhookSecret(deps),
    enable: enableWebhook(deps),
    remove: removeWebhook(deps),
    listEncrypted: listEncryptedWebhooks(deps),
    replaceEncrypted: replaceEncryptedWebhookSecret(deps),
  };
}
