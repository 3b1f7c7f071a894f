import { hash } from 'node:crypto';
import type { AccountId } from '@latchhook/core';
import { accountName, parseAccountName, type WebhookRef } from '@latchhook/core/storage';

/**
 * The one key that scripts of webhooks and deliveries are passed: the root of a partition. They build all others in
 * Lua, by appending `:kind:name`: see `docs/adr/0004-keep-what-a-transition-touches-in-one-hash-slot.md`.
 *
 * A webhook is named `<account>/<webhookId>`, a message `<account>/<messageId>`, with the account as `accountName` has
 * it, so that an id with the wrong account leads to a key that does not exist. The name comes last: whatever a client
 * writes for an id, it never reaches a key of another kind.
 *
 * | kind | type | what |
 * |---|---|---|
 * | `sequence` | counter, no name | how many webhooks were ever registered, over all accounts; shown to no client |
 * | `all` | sorted set, no name | all webhooks by the value of `sequence` when they were registered; their own sequence is that of `account` |
 * | `account` | sorted set, by account | webhook ids by sequence |
 * | `event` | sorted set, by `<account>/<event>` | the same, for the webhooks of one event |
 * | `webhook` | hash | the record; `logFirst` and `cursor`, the sequences of the first entry of `log` and of the first that was never claimed; `wasRetryLast`, `inFlight`, `isCapped`, `windowCount`, `lastStartMs`, `failingSinceMs`, `backoffUntilMs`; when keys end (`logUntilMs`, `deliveriesUntilMs`) |
 * | `message` | string | when it was published and expires, its event, webhook ids, body |
 * | `idempotency` | string, by `<account>/<key>` | JSON: message id, expiry, how many deliveries |
 * | `log` | list, by webhook | all deliveries that are not forgotten, in the order of publishing: `<ms> <messageId>` |
 * | `deliveries` | hash, by webhook | what is known of each that has ended an attempt, or was given up: its state, its last attempts |
 * | `retries` | sorted set, by webhook | deliveries that wait for another attempt, by when; what was claimed and not started is before all times |
 * | `failed` | sorted set, by webhook | deliveries that were given up, by when they were published |
 * | `window` | list, by webhook | the starts within the window of its rate, one entry for each claim |
 * | `due` | sorted set, no name | enabled webhooks with anything to start, by when they can |
 * | `leases` | sorted set, no name | attempts in flight, by when their leases end |
 * | `inFlight` | hash, no name | how many attempts of each account are in flight |
 * | `capped` | set, no name; sorted set, by account | accounts with webhooks that wait for an attempt of their account to end; these webhooks, by since when |
 * | `clock` | string, no name | the time of a claim, at most a second before the last one |
 * | `idle` | string, no name | there while a worker has found nothing more since workers were last woken |
 */
export interface WebhookKeys {
  readonly root: string;
}

/**
 * Accounts are spread over partitions, each with its own tag: so a Cluster spreads them over its nodes, and all of
 * an account's webhooks are in one slot.
 */
export interface WebhookPartitions {
  readonly all: readonly WebhookKeys[];
  readonly of: (owner: Pick<WebhookRef, 'accountId'>) => WebhookKeys;
}

/** The tags are none of a user's: those have 22 characters. Of sixteen, each of three nodes has four at least. */
export function webhookPartitions(prefix: string, count: number): WebhookPartitions {
  const tagOf = (place: number) => (count === 1 ? 'webhooks' : `webhooks-${place}`);
  const all = Array.from({ length: count }, (_, place) => ({
    root: `${prefix}:{${tagOf(place)}}`,
  }));
  return {
    all,
    of: ({ accountId }) => {
      const keys = all.at(numberOf(accountId) % count);
      if (keys === undefined) throw new RangeError('An account has a number that is not whole.');
      return keys;
    },
  };
}

/** Of texts, 32 bits of a hash. */
function numberOf(accountId: AccountId): number {
  if (typeof accountId === 'number') return accountId;
  return Number.parseInt(hash('sha256', accountId, 'hex').slice(0, 8), 16);
}

/** On which workers are told that something of a partition is due. */
export function dueChannel({ root }: WebhookKeys): string {
  return `${root}:due`;
}

/** The name of a webhook, as scripts take it. */
export function webhookName({ accountId, webhookId }: WebhookRef): string {
  return `${accountName(accountId)}/${webhookId}`;
}

/** Reads what {@link webhookName} wrote. */
export function parseWebhookName(name: string): WebhookRef {
  const slash = name.indexOf('/');
  if (slash <= 0) throw new Error('Redis holds a malformed name of a webhook.');
  return { accountId: parseAccountName(name.slice(0, slash)), webhookId: name.slice(slash + 1) };
}
