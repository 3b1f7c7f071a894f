import type { Expiring } from './expiries.ts';
import type { StoredDelivery } from './stored-delivery.ts';

/** An event, once for all of its deliveries. Timed by when it is forgotten. */
export interface StoredMessage extends Expiring {
  readonly accountId: number;
  readonly messageId: string;
  readonly event: string;
  /** Empty once nobody can send it any more. */
  body: string;
  readonly createdAtMs: number;
  /** The first of its deliveries that are not forgotten; the others follow as siblings. Most have one: no list. */
  first: StoredDelivery | undefined;
  /** How many it was for. */
  readonly published: number;
}

/** The deliveries of a message that are not forgotten, in the order of their webhooks. */
export function* deliveriesOf(message: StoredMessage): Generator<StoredDelivery> {
  for (let { first: next } = message; next !== undefined; next = next.sibling) yield next;
}
