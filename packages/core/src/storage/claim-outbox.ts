import type { NewMessage } from './new-message.ts';
import type { PublishWithinOutcome, SqlTransaction } from './outbox.ts';

/**
 * Messages that are written within a transaction of the host's. They are published when it commits, and never if it
 * does not: the next claim finds them, so that nobody has to fetch them.
 *
 * Order: messages of a transaction that has committed come before those that are written in a later one. There is no
 * order between transactions that are under way at the same time; within one, the order of writing is kept.
 */
export interface ClaimOutbox {
  /**
   * Writes a message in the host's transaction. What that throws passes through as it is.
   *
   * Concurrency: no transaction waits for another, nor does anything that is sent. A message that is published twice at
   * the same time is delivered once, whatever each call answered.
   */
  publishWithin(tx: SqlTransaction, message: NewMessage): Promise<PublishWithinOutcome>;
}
