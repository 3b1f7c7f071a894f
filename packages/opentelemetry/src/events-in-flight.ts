import type { ClaimedAttempt } from '@latchhook/core/storage';

/**
 * Attempts that never end leave their event behind: the storage was unavailable until another process took the delivery
 * over.
 */
const MAX_KEPT = 10_000;

/** How every body begins. Read without the data, of which there may be a quarter of a megabyte. */
const EVENT = /^\{"id":"[^"]*","type":"([^"]*)"/;

type AttemptRef = Pick<ClaimedAttempt, 'webhookId' | 'deliveryId' | 'attempt'>;

/** Remembers of which event an attempt in flight is: its claim says so, and its end does not. */
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

/** The id of a webhook is random. */
function keyOf({ webhookId, deliveryId, attempt }: AttemptRef): string {
  return `${webhookId} ${deliveryId} ${attempt}`;
}
