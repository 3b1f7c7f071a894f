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

/**
 * Messages that are written within a transaction of the host's. They are published when it commits, and never if it
 * does not: the next claim finds them, so that nobody has to fetch them.
 *
 * Order: messages of a transaction that has committed come before those that are written in a later one. There is no
 * order between transactions that are under way at the same time; within one, the order of writing is kept.
 */
export interface Outbox {
  /**
   * Writes a message in the host's transaction. What that throws passes through as it is.
   *
   * Concurrency: no transaction waits for another, nor does anything that is sent. A message that is published twice at
   * the same time is delivered once, whatever each call answered.
   */
  publishWithin(tx: SqlTransaction, message: NewMessage): Promise<PublishWithinOutcome>;
}
