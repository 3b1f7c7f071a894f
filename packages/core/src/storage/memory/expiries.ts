import { Line, type LineMember } from './line.ts';
import { type Timed, TimeHeap } from './time-heap.ts';

/** What can be among {@link Expiries}. It may be among those of one at a time. */
export type Expiring = Timed & LineMember;

/**
 * What is forgotten at a time. Nearly all of it comes in the order of that time, and stands in a line, where every
 * operation takes O(1), amortised. What comes out of order, as after the clock was set back, takes O(log n).
 */
export class Expiries<T extends Expiring> {
  readonly #inOrder = new Line<T>();
  readonly #others = new TimeHeap<T>();
  #latestMs = Number.NEGATIVE_INFINITY;

  get size(): number {
    return this.#inOrder.size + this.#others.size;
  }

  add(member: T): void {
    if (member.atMs < this.#latestMs) {
      this.#others.add(member);
      return;
    }
    this.#latestMs = member.atMs;
    this.#inOrder.join(member);
  }

  /** Call it only once for each member. */
  remove(member: T): void {
    if (member.linePlace === null) this.#others.remove(member);
    else this.#inOrder.leave(member);
  }

  /** Removes and answers one whose time is not after `atMs`. */
  take(atMs: number): T | undefined {
    const { first } = this.#inOrder;
    if (first === undefined || first.atMs > atMs) return this.#others.take(atMs);
    this.#inOrder.leave(first);
    return first;
  }
}
