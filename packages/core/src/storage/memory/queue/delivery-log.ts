import type { QueuedDelivery } from './webhook-queue.ts';

/** Below this many empty places it is not worth the copy to close them. */
const MIN_GAP = 1_024;

/** The deliveries of a webhook by sequence, from 1 on; any can be removed. Every operation takes O(1), amortised. */
export class DeliveryLog {
  /** From the oldest that is left; removed ones leave an empty place. */
  #places: (QueuedDelivery | undefined)[] = [];
  /** How many places at the beginning are empty. */
  #gap = 0;
  /** The sequence of the first place. */
  #first = 1;

  /** The sequence that the next one will get. */
  get nextSequence(): number {
    return this.#first + this.#places.length;
  }

  append(delivery: QueuedDelivery): void {
    this.#places.push(delivery);
  }

  at(sequence: number): QueuedDelivery | undefined {
    return this.#places[sequence - this.#first];
  }

  remove({ sequence }: QueuedDelivery): void {
    this.#places[sequence - this.#first] = undefined;
    while (this.#gap < this.#places.length && this.#places[this.#gap] === undefined) this.#gap += 1;
    if (this.#gap < MIN_GAP || this.#gap * 2 < this.#places.length) return;
    this.#places = this.#places.slice(this.#gap);
    this.#first += this.#gap;
    this.#gap = 0;
  }

  /** From a sequence on, newest first. */
  *downFrom(sequence: number): Generator<QueuedDelivery> {
    for (let place = sequence - this.#first; place >= this.#gap; place -= 1) {
      const delivery = this.#places[place];
      if (delivery !== undefined) yield delivery;
    }
  }

  *[Symbol.iterator](): Generator<QueuedDelivery> {
    for (const delivery of this.#places) if (delivery !== undefined) yield delivery;
  }
}
