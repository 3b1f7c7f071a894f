import type { DeliveryRef, WebhookRef } from '@latchhook/core/storage';

/**
 * The one key that scripts of webhooks and deliveries are passed. They build all others in Lua, by appending
 * `:kind:name`: see `docs/adr/0020-webhooks-share-one-hash-slot.md`.
 *
 * A webhook is named `<accountId>/<webhookId>`, a delivery `<accountId>/<webhookId>/<deliveryId>`, a message
 * `<accountId>/<messageId>`, so that an id with the wrong account leads to a key that does not exist. The name comes
 * last: whatever a client writes for an id, it never reaches a key of another kind.
 *
 * | kind | type | what |
 * |---|---|---|
 * | `sequence` | counter, no name | how many webhooks were ever registered, over all accounts; shown to no client |
 * | `active` | sorted set, no name | webhooks with pending deliveries, by a time before which none of them is due |
 * | `unreleased` | set, no name | webhooks that were enabled while deliveries were held; any that have none since leave when it is read |
 * | `all` | sorted set, no name | all webhooks by the value of `sequence` when they were registered; their own sequence is that of `account` |
 * | `account` | sorted set, by account | webhook ids by sequence |
 * | `event` | sorted set, by `<accountId>/<event>` | the same, for the webhooks of one event |
 * | `webhook` | hash | the record, `deliveries` (the last sequence), `failingSinceMs`, `pausedUntilMs` (the end of its last pause), `rateMarginMs`, `retryPlace`, `wasRetryLast`, and what it knows of other keys |
 * | `starts` | list, by webhook | when its last attempts started, newest first, as many as the highest limit needs |
 * | `queued`, `held` | sorted set, by webhook | deliveries in that state by sequence |
 * | `retries` | sorted set, by webhook | deliveries that were tried before and wait for rate or room, by `retryPlace`: the order in which they began to wait |
 * | `parked`, `parkedRetries` | sorted set, by webhook | those of `queued` and of `retries` that are parked until there is room, by the same score |
 * | `due` | sorted set, by webhook | deliveries that are queued or waiting, by when they are to ask; and those being sent that `overdue` has returned |
 * | `inFlight` | sorted set, by webhook | all others that are being sent, by the end of their lease |
 * | `dead` | sorted set, by webhook | dead deliveries by creation; members begin with the sequence, which breaks ties |
 * | `log` | sorted set, by webhook | all deliveries that are not forgotten, by sequence |
 * | `delivery` | hash | state, run, attempt, `attempt:<n>`, `response:<n>` ... |
 * | `message` | string | when it is forgotten, webhook ids (JSON), body |
 * | `idempotency` | string, by `<accountId>/<key>` | JSON: message id, expiry, webhook ids |
 *
 * Every transition reads the hash of its webhook. So it caches what would take a command for each of the other keys:
 * how many are in `retries`, and how many are parked (`parked`); the latest time by which `active` has the webhook
 * (`activeMs`); when keys end (`logUntilMs`, `startsUntilMs`).
 */
export interface WebhookKeys {
  readonly root: string;
}

/** A tag of its own: those of users have 22 characters. */
export function webhookKeys(prefix: string): WebhookKeys {
  return { root: `${prefix}:{webhooks}` };
}

/** The name of a webhook, as scripts take it. */
export function webhookName({ accountId, webhookId }: WebhookRef): string {
  return `${accountId}/${webhookId}`;
}

/** Reads what {@link webhookName} wrote. */
export function parseWebhookName(name: string): WebhookRef {
  const slash = name.indexOf('/');
  const accountId = Number(name.slice(0, slash));
  if (slash <= 0 || !Number.isSafeInteger(accountId)) {
    throw new Error('Redis holds a malformed name of a webhook.');
  }
  return { accountId, webhookId: name.slice(slash + 1) };
}

/** A delivery, by the names that scripts use. */
export function deliveryRef(name: string, deliveryId: string): DeliveryRef {
  return { ...parseWebhookName(name), deliveryId };
}
