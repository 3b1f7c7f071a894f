import { hash } from 'node:crypto';
import type { AccountId } from '@latchhook/core';
import { accountName, parseAccountName, type WebhookRef } from '@latchhook/core/storage';

/**
 * The root key of a partition, which is passed to scripts of webhooks and deliveries. The scripts build all other keys
 * in Lua, by appending `:kind:name`: see `docs/adr/0004-keep-what-a-transition-touches-in-one-hash-slot.md`.
 *
 * A webhook is named `<account>/<webhookId>`, a message `<account>/<messageId>`; `accountName` serialises the account.
 * So an id with the wrong account leads to a key that does not exist. The name comes last, so that no id from a client
 * can yield a key of another kind.
 *
 * | kind | type | what |
 * |---|---|---|
 * | `registered` | counter, no name | number of webhooks ever registered, over all accounts; no client sees it |
 * | `all` | sorted set, no name | all webhooks by the value of `registered` at their registration: the `sequence` in their record is unique only within an account |
 * | `account` | sorted set, by account | webhook ids by sequence |
 * | `event` | sorted set, by `<account>/<event>` | ids of the webhooks of one event by sequence |
 * | `webhook` | hash, by webhook | the record, and the fields of the next table |
 * | `message` | string, by message | time of publishing, expiry, event, webhook ids, body: see `MESSAGE_TIMES` |
 * | `idempotency` | string, by `<account>/<key>` | JSON: message id, expiry, number of deliveries |
 * | `fresh` | list, by webhook | the deliveries that were never claimed, in the order of publishing: `<time of publishing> <messageId>`; it has no time to live, but is bounded |
 * | `log` | list, by webhook | the other deliveries within their retention, in the same order and format |
 * | `deliveries` | hash, by webhook | state and last attempts of each delivery with a completed or stalled attempt, or that has failed: see `DELIVERY_TEXT` |
 * | `retries` | sorted set, by webhook | deliveries that wait for another attempt, by the time at which it is due; those that a worker gave back (their attempt was not started, or its lease has expired) have negative scores, so that they are claimed first |
 * | `failed` | sorted set, by webhook | failed deliveries, by the time of publishing |
 * | `window` | list, by webhook | the starts within the window of the rate limit, one entry for each claim: see `RATE_WINDOW` |
 * | `due` | sorted set, no name | enabled webhooks with waiting deliveries, by when the next may start |
 * | `leases` | sorted set, no name | attempts in flight, by the end of their leases: see `LEASE_TEXT` |
 * | `inFlight` | hash, no name | number of attempts in flight of each account |
 * | `capped` | set, no name | accounts that have reached their limit of attempts in flight, and have webhooks that wait |
 * | `capped` | sorted set, by account | the webhooks that wait for an attempt of the account to end, by when they began to wait |
 * | `clock` | string, no name | the time of the last claim, or of one at most a second before: by it, a claim detects that the clock was set back |
 * | `idle` | string, no name | exists if a worker has found nothing more to claim since the last notification |
 *
 * | field of `webhook` | what |
 * |---|---|
 * | `cursor` | sequence of the first delivery in `fresh`; if `fresh` is empty, of the next delivery to be published |
 * | `wasRetryLast` | `1` if the last claim took a retry last, so that the next one begins with a fresh delivery |
 * | `inFlight` | number of attempts in flight |
 * | `isCapped` | `1` if the webhook has reached its limit of attempts in flight, and waits for one of them to end |
 * | `windowCount` | sum of the starts in `window` |
 * | `lastStartMs` | latest time at which the attempts of the last claim may start |
 * | `failingSinceMs` | time of the first failure since the last success, or since the webhook was enabled |
 * | `backoffUntilMs` | end of the last backoff |
 * | `logUntilMs`, `deliveriesUntilMs` | when `log` and `deliveries` expire |
 */
export interface WebhookKeys {
  readonly root: string;
}

/**
 * The partitions over which accounts are spread. Each has its own hash tag, so that a Cluster spreads them over its
 * nodes while all webhooks of an account are in one slot.
 */
export interface WebhookPartitions {
  readonly all: readonly WebhookKeys[];
  readonly of: (owner: Pick<WebhookRef, 'accountId'>) => WebhookKeys;
}

/**
 * The tags of partitions cannot equal the tag of a user, which has 22 characters. With sixteen partitions, each node of
 * a Cluster of three has at least four.
 */
export function webhookPartitions(prefix: string, count: number): WebhookPartitions {
  const tagOf = (index: number) => (count === 1 ? 'webhooks' : `webhooks-${index}`);
  const all = Array.from({ length: count }, (_, index) => ({
    root: `${prefix}:{${tagOf(index)}}`,
  }));
  return {
    all,
    of: ({ accountId }) => {
      // A host may pass a negative id. Then the remainder is negative too, and `at` counts from the end.
      const keys = all.at(numberOf(accountId) % count);
      if (keys === undefined) throw new RangeError('There is no partition.');
      return keys;
    },
  };
}

/** A text account id is mapped to 32 bits of its hash. */
function numberOf(accountId: AccountId): number {
  if (typeof accountId === 'number') return accountId;
  return Number.parseInt(hash('sha256', accountId, 'hex').slice(0, 8), 16);
}

/** The channel on which workers are notified that something in a partition is due. */
export function dueChannel({ root }: WebhookKeys): string {
  return `${root}:due`;
}

/** The name of a webhook in scripts and keys. */
export function webhookName({ accountId, webhookId }: WebhookRef): string {
  return `${accountName(accountId)}/${webhookId}`;
}

/** Parses the result of {@link webhookName}. */
export function parseWebhookName(name: string): WebhookRef {
  const slash = name.indexOf('/');
  if (slash <= 0) throw new Error('Redis holds a malformed name of a webhook.');
  return { accountId: parseAccountName(name.slice(0, slash)), webhookId: name.slice(slash + 1) };
}
