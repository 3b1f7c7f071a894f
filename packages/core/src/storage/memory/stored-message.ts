import type { StoredDelivery } from './stored-delivery.ts';

/** An event, once for all of its deliveries. */
export interface StoredMessage {
  readonly accountId: number;
  readonly messageId: string;
  readonly event: string;
  /** Empty once nobody can send it any more. */
  body: string;
  readonly createdAtMs: number;
  /** Of those whose webhooks are still there; the others follow it. Most messages have one: a list would be waste. */
  first: StoredDelivery | undefined;
  /** How many it was for. */
  readonly published: number;
}

/** Those of a message whose webhooks are still there, in the order of these. */
export function* deliveriesOf(message: StoredMessage): Generator<StoredDelivery> {
  for (let { first: next } = message; next !== undefined; next = next.sibling) yield next;
}
