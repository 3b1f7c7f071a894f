import type { AccountId } from '../../account-id.ts';
import { StorageUnavailableError } from '../../errors.ts';
import { createLinkedList, type LinkedList } from '../../linked-list.ts';
import { CallDeadline } from './call-deadline.ts';

/** What {@link PublishLimiter} bounds. */
export interface PublishLimiterOptions {
  /** What is called, named in errors. */
  readonly server: string;
  /** How many calls of one account may be pending at once. One alone would leave the server idle in between. */
  readonly calls: number;
  /** More may, if all of them make no more deliveries than this, using what the last one made. Default: 0. */
  readonly deliveries?: number;
}

interface Account {
  pending: number;
  /** How many its last message had, at least 1. */
  deliveries: number;
  /** Each begins the call of one that waits. */
  readonly waiting: LinkedList<() => void>;
}

/**
 * Has an account's calls that publish wait for one another in this process, first come, first served. A message to a
 * hundred webhooks takes a server milliseconds: a burst of them would have the calls of all others wait behind it, on
 * the server or for a connection.
 *
 * For authors of storages.
 *
 * @example
 * ```ts
 * import { CallDeadline, type NewMessage, type PublishedMessage, PublishLimiter } from '@latchhook/core/storage';
 *
 * declare function insertMessage(message: NewMessage, deadline: CallDeadline): Promise<PublishedMessage>;
 *
 * const turns = new PublishLimiter({ server: 'MariaDB', calls: 4 });
 *
 * export function publish(message: NewMessage): Promise<PublishedMessage> {
 *   const deadline = new CallDeadline('MariaDB', 1000);
 *   return turns.take(message.accountId, deadline, () => insertMessage(message, deadline));
 * }
 * ```
 */
export class PublishLimiter {
  readonly #server: string;
  readonly #calls: number;
  readonly #deliveries: number;
  /** Those of which a call is pending. */
  readonly #accounts = new Map<AccountId, Account>();

  constructor({ server, calls, deliveries = 0 }: PublishLimiterOptions) {
    this.#server = server;
    this.#calls = calls;
    this.#deliveries = deliveries;
  }

  /**
   * Publishes once it is this call's turn, which it waits for until half of its time is over.
   *
   * @param deadline - of the call.
   * @throws {StorageUnavailableError} if its turn does not come in time; else whatever `publish` throws.
   */
  async take<Answer extends { readonly outcome: string; readonly deliveries?: number }>(
    accountId: AccountId,
    deadline: CallDeadline,
    publish: () => Promise<Answer>,
  ): Promise<Answer> {
    const account = this.#account(accountId);
    if (this.#isFull(account)) await this.#turn(account, deadline);
    else account.pending += 1;
    try {
      const answer = await publish();
      if (answer.outcome === 'published') {
        account.deliveries = Math.max(1, answer.deliveries ?? 1);
      }
      return answer;
    } finally {
      account.pending -= 1;
      while (account.waiting.first !== undefined && !this.#isFull(account)) account.waiting.first();
      if (account.pending === 0) this.#accounts.delete(accountId);
    }
  }

  #account(accountId: AccountId): Account {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    const account = { pending: 0, deliveries: Infinity, waiting: createLinkedList<() => void>() };
    this.#accounts.set(accountId, account);
    return account;
  }

  #isFull({ pending, deliveries }: Account): boolean {
    return pending >= this.#calls && (pending + 1) * deliveries > this.#deliveries;
  }

  /** Waits until others have ended, and counts the call among those that are pending. */
  async #turn(account: Account, callDeadline: CallDeadline): Promise<void> {
    // Where all that came to their turns had no time left to publish, a crowd would publish nothing.
    const leftMs = callDeadline.atMs - performance.now();
    const deadline = new CallDeadline(this.#server, leftMs / 2);
    let leave = (): void => {};
    const turn = new Promise<void>((resolve) => {
      leave = account.waiting.append(() => {
        leave();
        account.pending += 1;
        resolve();
      });
    });
    await deadline.bound(turn, leave).catch(() => {
      const why = `${this.#server} was still busy with what the account had published before.`;
      throw new StorageUnavailableError(why);
    });
  }
}
