import type { NewMessage } from './new-message.ts';

/**
 * The part of a transaction of the host that publishing needs. A client of `pg` between `BEGIN` and `COMMIT` has this
 * interface, and so has a transaction of PGlite; the transactions of other drivers can be adapted.
 */
export interface SqlTransaction {
  /**
   * Runs one statement within the transaction.
   *
   * @param text - its placeholders are `$1`, `$2` and so on in this order, each used once.
   * @param values - one string for each placeholder.
   */
  query(
    text: string,
    values: string[],
  ): PromiseLike<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

/** The outcome of {@link Outbox.publishWithin} if the transaction commits. */
export type PublishWithinOutcome =
  | {
      /** `duplicate`: the transaction sees that this idempotency key or this message id was published before. */
      readonly outcome: 'published' | 'duplicate';
      /** The id of the message that was published first, if the transaction sees it. */
      readonly messageId: string;
      /** The number of webhooks that receive it, as the transaction sees them. */
      readonly deliveries: number;
    }
  | { readonly outcome: 'unknown' };

/**
 * Messages that are written within a transaction of the host. They are published only if the transaction commits, by
 * the next claim, so no separate relay is needed.
 *
 * Order: messages of a committed transaction come before those that are written in a later one. There is no order
 * between transactions that run at the same time; within one, the order of writing is kept.
 */
export interface Outbox {
  /**
   * Writes a message in the host's transaction. Errors of the transaction are thrown unchanged.
   *
   * Concurrency: no transaction waits for another, and sending waits for none. A message that is published twice at the
   * same time is delivered once, whatever outcome each call returned.
   */
  publishWithin(tx: SqlTransaction, message: NewMessage): Promise<PublishWithinOutcome>;
}
