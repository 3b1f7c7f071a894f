import type { PublishOutcome } from './delivery-store.ts';
import type { NewMessage } from './new-message.ts';

/**
 * A transaction of the host's, as far as publishing needs it: a client of `pg` between `BEGIN` and `COMMIT` is
 * one, and so is a transaction of PGlite. For others a line makes one.
 */
export interface SqlTransaction {
  /**
   * Runs one statement within the transaction.
   *
   * @param text - has its placeholders `$1`, `$2` ... in this order, each of them once.
   * @param values - one for each; all of them are strings.
   */
  query(
    text: string,
    values: string[],
  ): PromiseLike<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

/** What came of {@link Outbox.publishWithin}, should the transaction commit. */
export type PublishWithinOutcome =
  | {
      /** `duplicate`: published before, under this idempotency key or this message id, as far as can be seen. */
      readonly outcome: 'published' | 'duplicate';
      /** Of the one that was published first, where that can be seen. */
      readonly messageId: string;
      /** How many webhooks it is for, as the transaction sees them. */
      readonly deliveries: number;
    }
  | { readonly outcome: 'unknown' };

/** Messages whose transactions have committed. */
export interface TakenMessages {
  /** What came of each, as of `DeliveryStore.publish`. */
  readonly taken: readonly PublishOutcome[];
  /** Call again. */
  readonly more: boolean;
}

/**
 * Messages that are written within a transaction of the host's: published when it commits, and never if it does
 * not.
 *
 * Order: what was published by a transaction that had committed comes before what is published afterwards.
 * Transactions that are under way at the same time have no order; that of what each publishes is kept.
 */
export interface Outbox {
  /**
   * Writes a message, by the host's transaction.
   *
   * Concurrency: it waits for no other transaction, nor does another wait for this one. What is published twice
   * at the same time is delivered once, whatever each was told.
   */
  publishWithin(tx: SqlTransaction, message: NewMessage): Promise<PublishWithinOutcome>;

  /**
   * Makes deliveries of messages whose transactions have committed, as `DeliveryStore.publish` does, oldest
   * first.
   *
   * Atomicity: one transition; each message is taken once. Concurrency: any number of processes may ask; while
   * one takes, the others are told that there is nothing.
   */
  takeCommitted(request: { readonly limit: number }): Promise<TakenMessages>;

  /**
   * Calls back when there may be something to take, from another process too, soon after a commit. It may call
   * in vain, and is no promise: whoever takes also asks now and then. Never throws.
   *
   * @returns what ends it.
   */
  watch(onCommit: () => void): () => Promise<void>;
}
