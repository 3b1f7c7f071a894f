import type { AccountId } from '@latchhook/core';
import type { CallDeadline, NewMessage, PublishedMessage } from '@latchhook/core/storage';

/** A message that waits for its batch. */
interface Pending {
  readonly message: NewMessage;
  readonly deadline: CallDeadline;
  readonly resolve: (published: PublishedMessage) => void;
  readonly reject: (error: unknown) => void;
}

type PublishBatch = (
  messages: readonly NewMessage[],
  deadline: CallDeadline,
) => Promise<readonly PublishedMessage[]>;

/** How many batches are under way at once: each holds a connection of the pool. */
const BATCHES = 2;
/** How many messages a batch has at most: it must end well before its deadline, whatever they are for. */
const MESSAGES = 32;

/**
 * Publishes messages in batches, each one transaction: those that come while others are under way share the next one. A
 * lone message is a batch, and waits for none.
 *
 * A batch has the messages of its accounts by turns, so that a burst of one account keeps no other waiting.
 */
export class PublishBatches {
  readonly #publish: PublishBatch;
  readonly #newDeadline: () => CallDeadline;
  /** Those that wait, by account, in the order in which they came. */
  readonly #waiting = new Map<AccountId, Pending[]>();
  #underWay = 0;
  #isScheduled = false;

  constructor(publish: PublishBatch, newDeadline: () => CallDeadline) {
    this.#publish = publish;
    this.#newDeadline = newDeadline;
  }

  publish(message: NewMessage): Promise<PublishedMessage> {
    const deadline = this.#newDeadline();
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(message.accountId) ?? [];
      this.#waiting.set(message.accountId, waiting);
      waiting.push({ message, deadline, resolve, reject });
      if (this.#isScheduled || this.#underWay >= BATCHES) return;
      this.#isScheduled = true;
      // After all that is published in the same turn of the event loop.
      queueMicrotask(() => {
        this.#isScheduled = false;
        this.#begin();
      });
    });
  }

  #begin(): void {
    while (this.#underWay < BATCHES && this.#waiting.size > 0) {
      this.#underWay += 1;
      this.#send(this.#nextBatch());
    }
  }

  #send(batch: readonly Pending[]): void {
    const deadline = earliest(batch.map((pending) => pending.deadline));
    const messages = batch.map(({ message }) => message);
    this.#publish(messages, deadline ?? this.#newDeadline())
      .then((answers) => {
        for (const [nth, { resolve, reject }] of batch.entries()) {
          const published = answers[nth];
          if (published) resolve(published);
          else reject(new Error('A batch answered fewer than it was given.'));
        }
      })
      .catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      })
      .finally(() => {
        this.#underWay -= 1;
        this.#begin();
      });
  }

  /** Takes one message of each account that has any, over and over. */
  #nextBatch(): readonly Pending[] {
    const batch: Pending[] = [];
    while (batch.length < MESSAGES && this.#waiting.size > 0) {
      for (const [accountId, waiting] of this.#waiting) {
        const next = waiting.shift();
        if (next !== undefined) batch.push(next);
        if (waiting.length === 0) this.#waiting.delete(accountId);
        if (batch.length === MESSAGES) break;
      }
    }
    return batch;
  }
}

function earliest(deadlines: readonly CallDeadline[]): CallDeadline | undefined {
  return deadlines.reduce<CallDeadline | undefined>(
    (first, deadline) => (first === undefined || deadline.atMs < first.atMs ? deadline : first),
    undefined,
  );
}
