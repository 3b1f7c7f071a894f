import type {
  ConditionalChangeOutcome,
  ConditionalWebhookChange,
  CreateWebhookOutcome,
  EnableWebhookOutcome,
  NewWebhook,
  Page,
  SealedPage,
  WebhookChange,
  WebhookRecord,
  WebhookRef,
  WebhookStore,
} from '@latchhook/core/storage';
import type { CallScript } from './script-caller.ts';
import { changeWebhook } from './scripts/webhooks/change-webhook.ts';
import { changeWebhookIf } from './scripts/webhooks/change-webhook-if.ts';
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
export class RedisWebhookStore implements WebhookStore {
  readonly #call: CallScript;
  readonly #keys: WebhookKeys;

  constructor(call: CallScript, keys: WebhookKeys) {
    this.#call = call;
    this.#keys = keys;
  }

  create(
    webhook: NewWebhook,
    limits: { readonly maxPerAccount: number },
  ): Promise<CreateWebhookOutcome> {
    return createWebhook(this.#call, this.#keys, webhook, limits);
  }

  find(ref: WebhookRef): Promise<WebhookRecord | null> {
    return findWebhook(this.#call, this.#keys, ref);
  }

  list(accountId: number, page: Page): Promise<readonly WebhookRecord[]> {
    return listWebhooks(this.#call, this.#keys, accountId, page);
  }

  change(ref: WebhookRef, change: WebhookChange): Promise<WebhookRecord | null> {
    return changeWebhook(this.#call, this.#keys, ref, change);
  }

  changeIf(
    ref: WebhookRef,
    condition: ConditionalWebhookChange,
  ): Promise<ConditionalChangeOutcome | null> {
    return changeWebhookIf(this.#call, this.#keys, ref, condition);
  }

  rotateSecret(
    ref: WebhookRef,
    secret: { readonly sealed: string; readonly overlapMs: number },
  ): Promise<WebhookRecord | null> {
    return rotateWebhookSecret(this.#call, this.#keys, ref, secret);
  }

  enable(ref: WebhookRef): Promise<EnableWebhookOutcome | null> {
    return enableWebhook(this.#call, this.#keys, ref);
  }

  remove(ref: WebhookRef): Promise<boolean> {
    return removeWebhook(this.#call, this.#keys, ref);
  }

  listSealed(page: {
    readonly limit: number;
    readonly cursor: string | null;
  }): Promise<SealedPage<WebhookRef>> {
    return listSealedWebhooks(this.#call, this.#keys, page);
  }

  replaceSealed(
    ref: WebhookRef,
    change: { readonly expected: string; readonly replacement: string },
  ): Promise<boolean> {
    return replaceSealedWebhookSecret(this.#call, this.#keys, ref, change);
  }
}
