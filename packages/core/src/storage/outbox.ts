import type { PublishOutcome } from './delivery-outcomes.ts';
import type { NewMessage } from './new-message.ts';

/**
 * A transaction of the host's, as far as publishing needs it. A client of `pg` between `BEGIN` and `COMMIT` is one, and
 * so is a transaction of PGlite; for other drivers, one line of code makes one.
 */
export interface SqlTransaction {
  /**
   * Runs one statement within the transaction.
   *
   * @param text - its placeholders are `$1`, `$2` ... in this order, each used once.
   * @param values - one string for each placeholder.
   */
  query(
    text: string,
    values: string[],
  ): PromiseLike<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

/** What came of {@link Outbox.publishWithin}, should the transaction commit. */
export type PublishWithinOutcome =
  | {
      /** `duplicate`: the transaction sees that this idempotency key or this message id was published before. */
      readonly outcome: 'published' | 'duplicate';
      /** The id of the message that was published first, if the transaction sees it. */
      readonly messageId: string;
      /** How many webhooks it is for, as the transaction sees them. */
      readonly deliveries: number;
    }
  | { readonly outcome: 'unknown' };

/** Messages whose transactions have committed. */
export interface TakenMessages {
  /** What came of each, as `DeliveryStore.publish` answers it. */
  readonly taken: readonly PublishOutcome[];
  /** Whether more may be left: call again. */
  readonly more: boolean;
}

/**
 * Messages that are written within a transaction of the host's. They are published when it commits, and never if it
 * does not.
 *
 * Order: messages of a transaction that has committed come before those that are published afterwards. There is no
 * order between transactions that are under way at the same time; within one, the order of publishing is kept.
 */
export interface Outbox {
  /**
   * Writes a message in the host's transaction.
   *
   * Concurrency: no transaction waits for another. A message that is published twice at the same time is delivered
   * once, whatever each call answered. What `tx.query` rejects with, `auth.events.publish` rejects with, even if this
   * wraps it: hosts retry by the errors of their driver.
   *
   * @param tx - has a `query`, and nothing else of what the host gave.
   */
  publishWithin(tx: SqlTransaction, message: NewMessage): Promise<PublishWithinOutcome>;

  /**
   * Turns messages whose transactions have committed into deliveries, as `DeliveryStore.publish` does, oldest first.
   *
   * Atomicity: one transition; each message is taken once. Concurrency: any number of processes may call; while one
   * takes, the others are answered that there is nothing.
   */
  takeCommitted(request: { readonly limit: number }): Promise<TakenMessages>;

  /**
   * How many messages wait that `takeCommitted` would take; `limit` where there are as many or more. It reads no
   * further than that, since nothing bounds what waits while no process takes.
   */
  countPending(request: { readonly limit: number }): Promise<number>;

  /**
   * How long ago the message was written that `takeCommitted` would take first, ms; 0 if there is none. One that its
   * transaction has not committed yet does not count; once it has, it counts from when it was written.
   *
   * It stays at 0 or some seconds while a process takes, and grows while none does, or none succeeds.
   */
  lagMs(): Promise<number>;

  /**
   * Calls back soon after a commit, by another process too, when there may be something to take. It may call in vain,
   * and may miss a commit: so also take from time to time. Never throws.
   *
   * @returns a function that ends it.
   */
  watch(onCommit: () => void): () => Promise<void>;
}
