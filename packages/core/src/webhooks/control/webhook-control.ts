import type { AccountId } from '../../account-id.ts';
import type { ClientInfo } from '../../client-info/client-info.ts';
import type { ListPage } from '../../schema/list-page.ts';
import type { ListedDelivery } from '../../storage/delivery-record.ts';
import type { WebhookChange, WebhookRef } from '../../storage/webhook-store.ts';
import type { BuiltInEvents, EventName, EventTypes } from '../events/event-types.ts';
import type { WebhookFields } from '../registry/webhook-fields.ts';
import type {
  ChangeWebhookOutcome,
  NewWebhookOutcome,
  WebhookInfo,
} from '../registry/webhook-outcomes.ts';

/** The page of a list. */
export interface PageOptions {
  /** 1 to 100. Default: 50. */
  readonly limit?: number;
  /** The `nextCursor` of the page before, from this method or from the same list over HTTP. Default: from the start. */
  readonly cursor?: string;
}

/**
 * The webhooks of accounts, for the host: for seeds, support tools and tests. The same rules apply as over HTTP, except
 * that there are no quotas. The host itself has to check that an account exists.
 *
 * Atomicity: every change is one transition, followed by its event. `null`, `false` and `unknown` mean that the account
 * has no such webhook; then nothing is changed or emitted.
 *
 * `client`: the client that requested the change. It is part of the event, which has `actor: 'host'`.
 *
 * @throws {TypeError} for an account id that is not of the kind `accounts.id`: an integer from 1 by default
 * @throws {ConfigError} `webhooks_missing` without the option `webhooks` of `createAuth`
 * @throws {AuthError} `temporarily_unavailable` if the storage does not respond: then it is unknown whether anything
 *   changed
 *
 * @example
 * ```ts
 * import type { Auth } from '@latchhook/core';
 *
 * declare const auth: Auth;
 * declare function showOnce(secret: string): void;
 *
 * const result = await auth.webhooks.create(7, {
 *   event: 'Contact.Added',
 *   url: 'https://receiver.example/hooks',
 *   rateLimit: 10,
 * });
 * if (result.outcome === 'created') showOnce(result.secret);
 * else if (result.outcome === 'rejected') console.error(result.fields);
 * ```
 */
export interface Webhooks<
  Events extends EventTypes = BuiltInEvents,
  Id extends AccountId = number,
> {
  /**
   * Registers a webhook. Emits `webhook.created`.
   *
   * Idempotency: none. Each call registers another webhook, with its own secret. If a call rejects, `list` shows
   * whether it has registered a webhook.
   */
  create(
    accountId: Id,
    fields: WebhookFields<EventName<Events>>,
    client?: ClientInfo,
  ): Promise<NewWebhookOutcome<WebhookInfo<Id>>>;
  /** One webhook. */
  find(ref: WebhookRef<Id>): Promise<WebhookInfo<Id> | null>;
  /**
   * Lists webhooks, oldest first.
   *
   * @throws {AuthError} `invalid_request` for an invalid limit or cursor
   */
  list(accountId: Id, page?: PageOptions): Promise<ListPage<WebhookInfo<Id>>>;
  /**
   * Changes only the given settings, for attempts that start from now on: pending deliveries are sent to the new URL,
   * at the new rate. Emits `webhook.changed`, unless no setting is given. Idempotency: can be repeated.
   */
  change(
    ref: WebhookRef<Id>,
    change: WebhookChange,
    client?: ClientInfo,
  ): Promise<ChangeWebhookOutcome<WebhookInfo<Id>>>;
  /** Removes the webhook with all of its deliveries: none is attempted from now on. Emits `webhook.removed`. */
  remove(ref: WebhookRef<Id>, client?: ClientInfo): Promise<boolean>;
  /**
   * Returns a new signing secret, which is shown only this once. The old secret keeps signing too, for a day. Emits
   * `webhook.secret_rotated`.
   */
  rotateSecret(ref: WebhookRef<Id>, client?: ClientInfo): Promise<string | null>;
  /**
   * Enables a disabled webhook again, and sends the deliveries that have waited. Emits `webhook.enabled` if the webhook
   * was disabled.
   *
   * Idempotency: can be repeated.
   */
  enable(ref: WebhookRef<Id>, client?: ClientInfo): Promise<WebhookInfo<Id> | null>;
  /**
   * The deliveries of a webhook and their attempts, newest first, for as long as they are kept:
   * `webhooks.retentionDays`.
   *
   * @throws {AuthError} `invalid_request` for an invalid limit or cursor
   */
  listDeliveries(
    ref: WebhookRef<Id>,
    page?: PageOptions,
  ): Promise<ListPage<ListedDelivery<Id>> | null>;
  /**
   * Redelivers all dead deliveries that were created at or after `sinceMs`, for example after an outage of the
   * receiver; returns their number. The deliveries of a disabled webhook are held, but they are counted.
   *
   * Atomicity: one transition for 500 deliveries at most. `null` also if the webhook is removed between two of them,
   * together with its redelivered deliveries. Idempotency: can be repeated; deliveries that an interrupted call has
   * redelivered are no longer dead.
   *
   * @param sinceMs - ms since 1970, by the clock of the storage
   * @throws {TypeError} for a time that is not an integer
   */
  recover(ref: WebhookRef<Id>, sinceMs: number): Promise<number | null>;
}
