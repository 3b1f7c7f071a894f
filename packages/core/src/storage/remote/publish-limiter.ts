import type { AccountId } from '../../account-id.ts';
import { StorageUnavailableError } from '../../errors.ts';
import { createLinkedList, type LinkedList } from '../../linked-list.ts';
import { CallDeadline } from './call-deadline.ts';

/** The limits of {@link PublishLimiter}. */
export interface PublishLimiterOptions {
  /** The name of the server in errors. */
  readonly server: string;
  /**
   * How many calls of one account may be pending at a time. With only one, the server would be idle between two calls.
   */
  readonly calls: number;
  /**
   * More calls may be pending if they make at most this many deliveries in all. Each call is assumed to make as many as
   * the account's last message. Default: 0.
   */
  readonly deliveries?: number;
}

interface Account {
  pending: number;
  /**
   * The number of deliveries of the account's last message, at least 1. Infinite before the first message: until it is
   * known, only `calls` may be pending.
   */
  deliveries: number;
  /** The waiting calls; `null` until the first waits. Calling an entry starts its call. */
  waiting: LinkedList<() => void> | null;
}

/**
 * Limits how many calls of one account publish in parallel in this process; others wait in FIFO order. A message to a
 * hundred webhooks takes a server milliseconds, so a burst of one account would delay the calls of all others: they
 * would wait for the server or for a connection.
 *
 * For authors of storages.
 *
 * @example
 * ```ts
 * import { CallDeadline, type NewMessage, type PublishedMessage, PublishLimiter } from '@latchhook/core/storage';
 *
 * declare function insertMessage(message: NewMessage, deadline: CallDeadline): Promise<PublishedMessage>;
 *
 * const publishLimiter = new PublishLimiter({ server: 'MariaDB', calls: 4 });
 *
 * export function publish(message: NewMessage): Promise<PublishedMessage> {
 *   const deadline = new CallDeadline('MariaDB', 1000);
 *   return publishLimiter.take(message.accountId, deadline, () => insertMessage(message, deadline));
 * }
 * ```
 */
export class PublishLimiter {
  readonly #server: string;
  readonly #calls: number;
  readonly #deliveries: number;
  /** The accounts with pending calls. */
  readonly #accounts = new Map<AccountId, Account>();

  constructor({ server, calls, deliveries = 0 }: PublishLimiterOptions) {
    this.#server = server;
    this.#calls = calls;
    this.#deliveries = deliveries;
  }

  /**
   * Publishes once the account has a free permit, for which it waits until half of the time to the deadline has passed.
   *
   * @param deadline - the deadline of the call
   * @throws {StorageUnavailableError} if it gets no permit in time; other errors are those of `publish`
   */
  async take<Outcome extends { readonly outcome: string; readonly deliveries?: number }>(
    accountId: AccountId,
    deadline: CallDeadline,
    publish: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const account = this.#account(accountId);
    if (this.#isFull(account)) await this.#waitForPermit(account, deadline);
    else account.pending += 1;
    try {
      const outcome = await publish();
      if (outcome.outcome === 'published') {
        account.deliveries = Math.max(1, outcome.deliveries ?? 1);
      }
      return outcome;
    } finally {
      account.pending -= 1;
      while (account.waiting?.first !== undefined && !this.#isFull(account))
        account.waiting.first();
      if (account.pending === 0) this.#accounts.delete(accountId);
    }
  }

  #account(accountId: AccountId): Account {
    const existing = this.#accounts.get(accountId);
    if (existing !== undefined) return existing;
    const account = { pending: 0, deliveries: Infinity, waiting: null };
    this.#accounts.set(accountId, account);
    return account;
  }

  #isFull({ pending, deliveries }: Account): boolean {
    return pending >= this.#calls && (pending + 1) * deliveries > this.#deliveries;
  }

  /** Waits for a permit, and counts the call as pending. */
  async #waitForPermit(account: Account, callDeadline: CallDeadline): Promise<void> {
    // Half of the time is reserved for publishing. Otherwise, under load, calls would get permits with no time left to
    // publish.
    const remainingMs = callDeadline.atMs - performance.now();
    const deadline = new CallDeadline(this.#server, remainingMs / 2);
    account.waiting ??= createLinkedList();
    const { waiting } = account;
    let stopWaiting = (): void => {};
    const permit = new Promise<void>((resolve) => {
      stopWaiting = waiting.append(() => {
        stopWaiting();
        account.pending += 1;
        resolve();
      });
    });
    await deadline.bound(permit, stopWaiting).catch(() => {
      const message = `${this.#server} was still busy with what the account had published before.`;
      throw new StorageUnavailableError(message);
    });
  }
}
