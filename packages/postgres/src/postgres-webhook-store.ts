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
import type { CallFunction } from './function-caller.ts';
import { changeWebhook } from './functions/webhooks/change-webhook.ts';
import { changeWebhookIf } from './functions/webhooks/change-webhook-if.ts';
import { createWebhook } from './functions/webhooks/create-webhook.ts';
import { enableWebhook } from './functions/webhooks/enable-webhook.ts';
import { findWebhook } from './functions/webhooks/find-webhook.ts';
import { listSealedWebhooks } from './functions/webhooks/list-sealed-webhooks.ts';
import { listWebhooks } from './functions/webhooks/list-webhooks.ts';
import { removeWebhook } from './functions/webhooks/remove-webhook.ts';
import { replaceSealedWebhookSecret } from './functions/webhooks/replace-sealed-webhook-secret.ts';
import { rotateWebhookSecret } from './functions/webhooks/rotate-webhook-secret.ts';

/** Webhooks in PostgreSQL: each method is one call of a function. */
export class PostgresWebhookStore implements WebhookStore {
  readonly #call: CallFunction;

  constructor(call: CallFunction) {
    this.#call = call;
  }

  create(
    webhook: NewWebhook,
    limits: { readonly maxPerAccount: number },
  ): Promise<CreateWebhookOutcome> {
    return createWebhook(this.#call, webhook, limits);
  }

  find(ref: WebhookRef): Promise<WebhookRecord | null> {
    return findWebhook(this.#call, ref);
  }

  list(accountId: number, page: Page): Promise<readonly WebhookRecord[]> {
    return listWebhooks(this.#call, accountId, page);
  }

  change(ref: WebhookRef, change: WebhookChange): Promise<WebhookRecord | null> {
    return changeWebhook(this.#call, ref, change);
  }

  changeIf(
    ref: WebhookRef,
    condition: ConditionalWebhookChange,
  ): Promise<ConditionalChangeOutcome | null> {
    return changeWebhookIf(this.#call, ref, condition);
  }

  rotateSecret(
    ref: WebhookRef,
    secret: { readonly sealed: string; readonly overlapMs: number },
  ): Promise<WebhookRecord | null> {
    return rotateWebhookSecret(this.#call, ref, secret);
  }

  enable(ref: WebhookRef): Promise<EnableWebhookOutcome | null> {
    return enableWebhook(this.#call, ref);
  }

  remove(ref: WebhookRef): Promise<boolean> {
    return removeWebhook(this.#call, ref);
  }

  listSealed(page: {
    readonly limit: number;
    readonly cursor: string | null;
  }): Promise<SealedPage<WebhookRef>> {
    return listSealedWebhooks(this.#call, page);
  }

  replaceSealed(
    ref: WebhookRef,
    change: { readonly expected: string; readonly replacement: string },
  ): Promise<boolean> {
    return replaceSealedWebhookSecret(this.#call, ref, change);
  }
}
