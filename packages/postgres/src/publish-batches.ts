import type { AccountId } from '@latchhook/core';
import {
  type CallDeadline,
  type NewMessage,
  type PublishedMessage,
  StorageUnavailableError,
} from '@latchhook/core/storage';

/** A message that waits for its batch. */
interface Pending {
  readonly message: NewMessage;
  readonly deadline: CallDeadline;
  /** Until when the message may wait for its batch, by `performance.now()`, ms. */
  readonly waitsUntilMs: number;
  readonly resolve: (published: PublishedMessage) => void;
  readonly reject: (error: unknown) => void;
}

type PublishBatch = (
  messages: readonly NewMessage[],
  deadline: CallDeadline,
) => Promise<readonly PublishedMessage[]>;

/** How many batches may be in flight together. Each holds a connection of the pool. */
const MAX_IN_FLIGHT = 2;
/** The most messages of a batch: few enough to end well before the deadline, however many webhooks receive them. */
const MAX_BATCH = 32;

/**
 * Publishes messages in batches, each in one transaction. Messages that arrive while the number of batches in flight is
 * at its limit share the next batch. A single message is a batch and does not wait for others.
 *
 * A batch takes messages of the accounts round-robin, so that a burst of one account does not delay other accounts. The
 * deadline of a batch is that of its oldest message, so a message that has waited for half of its time is rejected:
 * otherwise the batches of a long burst would have no time left, and fail with the messages of other accounts.
 */
export class PublishBatches {
  readonly #publish: PublishBatch;
  readonly #newDeadline: () => CallDeadline;
  /** The messages that wait for a batch, by account, in FIFO order. */
  readonly #waiting = new Map<AccountId, Pending[]>();
  #inFlight = 0;
  #isScheduled = false;

  constructor(publish: PublishBatch, newDeadline: () => CallDeadline) {
    this.#publish = publish;
    this.#newDeadline = newDeadline;
  }

  publish(message: NewMessage): Promise<PublishedMessage> {
    const deadline = this.#newDeadline();
    const waitsUntilMs = (performance.now() + deadline.atMs) / 2;
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(message.accountId) ?? [];
      this.#waiting.set(message.accountId, waiting);
      waiting.push({ message, deadline, waitsUntilMs, resolve, reject });
      if (this.#isScheduled || this.#inFlight >= MAX_IN_FLIGHT) return;
      this.#isScheduled = true;
      // Runs after the other calls of the same turn of the event loop.
      queueMicrotask(() => {
        this.#isScheduled = false;
        this.#sendBatches();
      });
    });
  }

  #sendBatches(): void {
    while (this.#inFlight < MAX_IN_FLIGHT && this.#waiting.size > 0) {
      const batch = this.#nextBatch();
      if (batch.length > 0) this.#send(batch);
    }
  }

  #send(batch: readonly Pending[]): void {
    this.#inFlight += 1;
    const { deadline } = batch.reduce((first, pending) =>
      pending.deadline.atMs < first.deadline.atMs ? pending : first,
    );
    const messages = batch.map(({ message }) => message);
    this.#publish(messages, deadline)
      .then((results) => {
        for (const [i, { resolve, reject }] of batch.entries()) {
          const result = results[i];
          if (result) resolve(result);
          else reject(new Error('A batch has fewer results than messages.'));
        }
      })
      .catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      })
      .finally(() => {
        this.#inFlight -= 1;
        this.#sendBatches();
      });
  }

  /** Takes up to `MAX_BATCH` waiting messages, round-robin over the accounts. */
  #nextBatch(): readonly Pending[] {
    const batch: Pending[] = [];
    while (batch.length < MAX_BATCH && this.#waiting.size > 0) {
      for (const [accountId, waiting] of this.#waiting) {
        const pending = takeNext(waiting);
        if (pending !== undefined) batch.push(pending);
        if (waiting.length === 0) this.#waiting.delete(accountId);
        if (batch.length === MAX_BATCH) break;
      }
    }
    return batch;
  }
}

/** Takes the oldest message that has not waited for too long, and rejects those before it. */
function takeNext(waiting: Pending[]): Pending | undefined {
  const nowMs = performance.now();
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (nowMs <= next.waitsUntilMs) return next;
    const message = 'PostgreSQL was still busy with what had been published before.';
    next.reject(new StorageUnavailableError(message));
  }
  return undefined;
}
