/** A value with its time, as {@link TimeHeap} holds it. */
export interface Timed<T> {
  readonly value: T;
  /** Changed only by {@link TimeHeap.move}. */
  atMs: number;
  /** Its place in the heap; private to that. */
  index: number;
}

/**
 * Values by their times, earliest first: a binary heap whose members can be moved and removed. Each operation takes
 * O(log n); adding one that is later than all others takes O(1).
 */
export class TimeHeap<T> {
  readonly #members: Timed<T>[] = [];

  get size(): number {
    return this.#members.length;
  }

  get first(): Timed<T> | undefined {
    return this.#members[0];
  }

  add(value: T, atMs: number): Timed<T> {
    const member = { value, atMs, index: this.#members.length };
    this.#insert(member);
    return member;
  }

  move(member: Timed<T>, atMs: number): void {
    member.atMs = atMs;
    this.#settle(member);
  }

  /** Call it only once for each member. */
  remove(member: Timed<T>): void {
    const last = this.#members.pop();
    if (last === undefined || last === member) return;
    last.index = member.index;
    this.#settle(last);
  }

  /** Removes and answers the earliest value, if its time is not after `atMs`. */
  take(atMs: number): T | undefined {
    const { first } = this;
    if (first === undefined || first.atMs > atMs) return undefined;
    this.remove(first);
    return first.value;
  }

  /**
   * The first `limit` wanted values with times up to `atMs`, earliest first. Takes O(log n) for each of them and for
   * each that is passed over, and changes nothing.
   */
  until(atMs: number, limit: number, isWanted: (value: T) => boolean): T[] {
    const found: T[] = [];
    const taken: Timed<T>[] = [];
    while (found.length < limit) {
      const { first } = this;
      if (first === undefined || first.atMs > atMs) break;
      this.remove(first);
      taken.push(first);
      if (isWanted(first.value)) found.push(first.value);
    }
    for (const member of taken) this.#insert(member);
    return found;
  }

  #insert(member: Timed<T>): void {
    member.index = this.#members.length;
    this.#members.push(member);
    this.#settle(member);
  }

  #settle(member: Timed<T>): void {
    if (!this.#rise(member)) this.#sink(member);
  }

  #rise(member: Timed<T>): boolean {
    const from = member.index;
    let index = from;
    while (index > 0) {
      const parent = this.#members[(index - 1) >> 1];
      if (parent === undefined || parent.atMs <= member.atMs) break;
      const above = parent.index;
      this.#put(parent, index);
      index = above;
    }
    this.#put(member, index);
    return index < from;
  }

  #sink(member: Timed<T>): void {
    let { index } = member;
    for (;;) {
      const left = this.#members[2 * index + 1];
      const right = this.#members[2 * index + 2];
      const earlier = right !== undefined && left !== undefined && right.atMs < left.atMs;
      const child = earlier ? right : left;
      if (child === undefined || child.atMs >= member.atMs) break;
      const below = child.index;
      this.#put(child, index);
      index = below;
    }
    this.#put(member, index);
  }

  #put(member: Timed<T>, index: number): void {
    this.#members[index] = member;
    member.index = index;
  }
}
