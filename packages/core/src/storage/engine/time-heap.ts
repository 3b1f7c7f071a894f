/** What a {@link TimeHeap} can hold. It may be a member of one at a time. */
export interface Timed {
  /** Of a member, changed only by {@link TimeHeap.move}. */
  atMs: number;
  /** Its place in the heap; private to that. Any number before it is a member. */
  heapIndex: number;
}

/**
 * Whatever has a time, earliest first: a binary heap whose members can be moved and removed. Each operation takes
 * O(log n); adding one that is later than all others takes O(1).
 */
export class TimeHeap<T extends Timed> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  get first(): T | undefined {
    return this.#members[0];
  }

  /** In no particular order. */
  [Symbol.iterator](): Iterator<T> {
    return this.#members[Symbol.iterator]();
  }

  add(member: T): void {
    member.heapIndex = this.#members.length;
    this.#members.push(member);
    this.#settle(member);
  }

  move(member: T, atMs: number): void {
    member.atMs = atMs;
    this.#settle(member);
  }

  /** Call it only once for each member. */
  remove(member: T): void {
    const last = this.#members.pop();
    if (last === undefined || last === member) return;
    last.heapIndex = member.heapIndex;
    this.#settle(last);
  }

  /** Removes and answers the earliest one, if its time is not after `atMs`. */
  take(atMs: number): T | undefined {
    const { first } = this;
    if (first === undefined || first.atMs > atMs) return undefined;
    this.remove(first);
    return first;
  }

  /**
   * The first `limit` wanted ones with times up to `atMs`, earliest first. Takes O(log n) for each of them and for
   * each that is passed over, and changes nothing.
   */
  until(atMs: number, limit: number, isWanted: (member: T) => boolean): T[] {
    const found: T[] = [];
    const taken: T[] = [];
    while (found.length < limit) {
      const { first } = this;
      if (first === undefined || first.atMs > atMs) break;
      this.remove(first);
      taken.push(first);
      if (isWanted(first)) found.push(first);
    }
    for (const member of taken) this.add(member);
    return found;
  }

  #settle(member: T): void {
    if (!this.#rise(member)) this.#sink(member);
  }

  #rise(member: T): boolean {
    const from = member.heapIndex;
    let index = from;
    while (index > 0) {
      const parent = this.#members[(index - 1) >> 1];
      if (parent === undefined || parent.atMs <= member.atMs) break;
      const above = parent.heapIndex;
      this.#put(parent, index);
      index = above;
    }
    this.#put(member, index);
    return index < from;
  }

  #sink(member: T): void {
    let { heapIndex: index } = member;
    for (;;) {
      const left = this.#members[2 * index + 1];
      const right = this.#members[2 * index + 2];
      const earlier = right !== undefined && left !== undefined && right.atMs < left.atMs;
      const child = earlier ? right : left;
      if (child === undefined || child.atMs >= member.atMs) break;
      const below = child.heapIndex;
      this.#put(child, index);
      index = below;
    }
    this.#put(member, index);
  }

  #put(member: T, index: number): void {
    this.#members[index] = member;
    member.heapIndex = index;
  }
}
