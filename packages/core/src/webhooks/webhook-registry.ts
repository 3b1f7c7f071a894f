import type { Origin } from '../ports/telemetry.ts';
import type { Page, WebhookChange, WebhookRecord, WebhookRef } from '../storage/webhook-store.ts';
import type { WebhookEventName } from '../webhook-events.ts';

/** Who asks for a change, for the security events. */
export interface Actor extends Origin {
  readonly userId: string;
}

/** What a client says of a new webhook. */
export interface WebhookFields extends WebhookChange {
  readonly event: WebhookEventName;
  readonly url: string;
}

/**
 * The webhooks of accounts, for the routes.
 *
 * @throws {AuthError} `not_found` for a webhook that the account has not, `limit_reached`, `invalid_request`
 * for a URL that nothing may be sent to, `temporarily_unavailable`
 */
export interface WebhookRegistry {
  /** `secret` is the signing secret, told this once: `whsec_` and 32 bytes in base64. */
  create(
    accountId: number,
    fields: WebhookFields,
    actor: Actor,
  ): Promise<{ readonly webhook: WebhookRecord; readonly secret: string }>;
  get(ref: WebhookRef): Promise<WebhookRecord>;
  list(accountId: number, page: Page): Promise<readonly WebhookRecord[]>;
  change(ref: WebhookRef, change: WebhookChange, actor: Actor): Promise<WebhookRecord>;
  remove(ref: WebhookRef, actor: Actor): Promise<void>;
  /** Answers the new signing secret, told this once. The old one signs on for a day beside it. */
  rotateSecret(ref: WebhookRef, actor: Actor): Promise<string>;
  /** Takes back that the webhook is disabled, and sends what was held meanwhile. */
  enable(ref: WebhookRef, actor: Actor): Promise<WebhookRecord>;
}
