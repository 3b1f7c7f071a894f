import type { DeliveryRef, WebhookRef } from '@latchhook/core';

/**
 * The one key that scripts of webhooks and deliveries are passed. All others are this with `:kind:name`
 * behind it, made up in Lua: see `docs/adr/0020-webhooks-share-one-hash-slot.md`.
 *
 * A webhook is named `<accountId>/<webhookId>`, a delivery `<accountId>/<webhookId>/<deliveryId>`, a message
 * `<accountId>/<messageId>`. So whoever names the wrong account names a key that is not there. The name comes
 * last: whatever a client writes for an id, it never reaches a key of another kind.
 *
 * | kind | type | what |
 * |---|---|---|
 * | `sequence` | counter, no name | how many webhooks were ever registered, over all accounts; told to no client |
 * | `active` | sorted set, no name | webhooks with something under way, by a time before which none of it is due |
 * | `all` | sorted set, no name | all webhooks by what `sequence` was with them; their own sequence is another, that of `account` |
 * | `account` | sorted set, by account | webhook ids by sequence |
 * | `event` | sorted set, by `<accountId>/<event>` | the same, of the webhooks for one event |
 * | `webhook` | hash | the record, `deliveries` (the last sequence), `failingSinceMs`, `rateMarginMs`, `retryPlace`, `lastRetry`, and what it knows of other keys |
 * | `starts` | list, by webhook | when its last attempts started, newest first, as many as the highest limit could ask about |
 * | `queued`, `held` | sorted set, by webhook | deliveries in that state by sequence |
 * | `retries` | sorted set, by webhook | what was tried before and waits for rate or room, by place: the order in which it began to |
 * | `crowd`, `retryCrowd` | sorted set, by webhook | those of `queued` and of `retries` that sleep until there is room, by the same |
 * | `due` | sorted set, by webhook | those that are queued or waiting, by when they are to be asked for; and those that are being sent and that `overdue` has told of |
 * | `flying` | sorted set, by webhook | all others that are being sent, by the end of their lease |
 * | `dead` | sorted set, by webhook | those that are dead by creation; the sequence begins the member and breaks ties |
 * | `log` | sorted set, by webhook | all that are not forgotten, by sequence |
 * | `delivery` | hash | state, run, attempt, `attempt:<n>`, `response:<n>` ... |
 * | `message` | string | when it is forgotten, webhook ids (JSON), body |
 * | `idempotency` | string, by `<accountId>/<key>` | JSON: message id, expiry, webhook ids |
 *
 * Every transition reads the hash of its webhook, so that is where it finds out what would take a command for each of
 * the other keys: how many are in `retries`, and in both crowds (`asleep`); by when `active` has the webhook at the
 * latest (`activeMs`); when keys end (`logUntilMs`, `startsUntilMs`).
 */
export interface WebhookKeys {
  readonly root: string;
}

/** Beside the keys of users: their tags are 22 characters long, so this is none of them. */
export function webhookKeys(prefix: string): WebhookKeys {
  return { root: `${prefix}:{webhooks}` };
}

/** As scripts take it. */
export function webhookName({ accountId, webhookId }: WebhookRef): string {
  return `${accountId}/${webhookId}`;
}

/** Reads what {@link webhookName} wrote. */
export function parseWebhookName(name: string): WebhookRef {
  const slash = name.indexOf('/');
  const accountId = Number(name.slice(0, slash));
  if (slash <= 0 || !Number.isSafeInteger(accountId)) {
    throw new Error('Redis holds a webhook under a name that is none.');
  }
  return { accountId, webhookId: name.slice(slash + 1) };
}

/** A delivery, by what a script calls it. */
export function deliveryRef(name: string, deliveryId: string): DeliveryRef {
  return { ...parseWebhookName(name), deliveryId };
}
