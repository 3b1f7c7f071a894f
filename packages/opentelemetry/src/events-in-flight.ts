import type { ClaimedAttempt } from '@latchhook/core/storage';

/**
 * The largest number of entries. An attempt that never ends leaves its entry behind, for example where the storage was
 * unavailable until another process claimed the delivery.
 */
const MAX_KEPT = 10_000;

/** The beginning of every body, to read the event without parsing all of the data. */
const EVENT = /^\{"id":"[^"]*","type":"([^"]*)"/;

type AttemptRef = Pick<ClaimedAttempt, 'webhookId' | 'deliveryId' | 'attempt'>;

/** Stores the event of each attempt in flight, as its claim has the event but its end has not. */
export class EventsInFlight {
  readonly #events = new Map<string, string>();

  begin(attempt: AttemptRef & Pick<ClaimedAttempt, 'body'>): void {
    const event = EVENT.exec(attempt.body)?.[1];
    if (event === undefined) return;
    const [oldest] = this.#events.keys();
    if (this.#events.size >= MAX_KEPT && oldest !== undefined) this.#events.delete(oldest);
    this.#events.set(keyOf(attempt), event);
  }

  end(attempt: AttemptRef): string | undefined {
    const key = keyOf(attempt);
    const event = this.#events.get(key);
    this.#events.delete(key);
    return event;
  }
}

/** Without the account, as the id of a webhook is random and so unique. */
function keyOf({ webhookId, deliveryId, attempt }: AttemptRef): string {
  return `${webhookId} ${deliveryId} ${attempt}`;
}
