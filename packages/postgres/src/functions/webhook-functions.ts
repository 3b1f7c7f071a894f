import type { SqlDefinition } from '../define-function.ts';
import { changeWebhookFunction } from './webhooks/change-webhook.ts';
import { createWebhookFunction } from './webhooks/create-webhook.ts';
import { enableWebhookFunction } from './webhooks/enable-webhook.ts';
import { findWebhookFunction } from './webhooks/find-webhook.ts';
import { signingSecrets, webhookRecord } from './webhooks/internal/webhook-record.ts';
import { listEncryptedWebhooksFunction } from './webhooks/list-encrypted-webhooks.ts';
import { listWebhooksFunction } from './webhooks/list-webhooks.ts';
import { removeWebhookFunction } from './webhooks/remove-webhook.ts';
import { replaceEncryptedWebhookSecretFunction } from './webhooks/replace-encrypted-webhook-secret.ts';
import { rotateWebhookSecretFunction } from './webhooks/rotate-webhook-secret.ts';

/** The functions of webhooks. */
export const WEBHOOK_FUNCTIONS: readonly SqlDefinition[] = [
  signingSecrets,
  webhookRecord,
  createWebhookFunction,
  findWebhookFunction,
  listWebhooksFunction,
  changeWebhookFunction,
  rotateWebhookSecretFunction,
  enableWebhookFunction,
  removeWebhookFunction,
  listEncryptedWebhooksFunction,
  replaceEncryptedWebhookSecretFunction,
];
