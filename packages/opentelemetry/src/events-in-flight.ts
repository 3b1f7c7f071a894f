import type { DeliveryRef } from '@latchhook/core/storage';

/**
 * Attempts that never end leave their event behind: the storage was unavailable until another process took the delivery
 * over.
 */
const MAX_KEPT = 10_000;

/** How every body begins. Read without the data, of which there may be a quarter of a megabyte. */
const EVENT = /^\{"id":"[^"]*","type":"([^"]*)"/;

/** Remembers of which event an attempt in flight is: its start says so, and its end does not. */
export class EventsInFlight {
  readonly #events = new Map<string, string>();

  begin(ref: DeliveryRef, body: string): void {
    const event = EVENT.exec(body)?.[1];
    if (event === undefined) return;
    const [oldest] = this.#events.keys();
    if (this.#events.size >= MAX_KEPT && oldest !== undefined) this.#events.delete(oldest);
    this.#events.set(keyOf(ref), event);
  }

  end(ref: DeliveryRef): string | undefined {
    const key = keyOf(ref);
    const event = this.#events.get(key);
    this.#events.delete(key);
    return event;
  }
}

/** The id of a webhook is random. */
function keyOf({ webhookId, deliveryId }: DeliveryRef): string {
  return `${webhookId} ${deliveryId}`;
}
