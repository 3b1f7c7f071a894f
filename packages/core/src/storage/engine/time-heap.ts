/** A member of a {@link TimeHeap}. It may be in one heap at a time. */
export interface Timed {
  readonly atMs: number;
  /** The position in the heap, which only the heap uses. Any number before the member is added. */
  heapIndex: number;
}

/**
 * A binary heap of members with a time, earliest first, from which any member can be removed. Each operation takes
 * O(log n); adding a member that is later than all others takes O(1).
 */
export class TimeHeap<T extends Timed> {
  readonly #members: T[] = [];

  get first(): T | undefined {
    return this.#members[0];
  }

  add(member: T): void {
    member.heapIndex = this.#members.length;
    this.#members.push(member);
    this.#sift(member);
  }

  /** Call it only once for each member. */
  remove(member: T): void {
    const last = this.#members.pop();
    if (last === undefined || last === member) return;
    last.heapIndex = member.heapIndex;
    this.#sift(last);
  }

  #sift(member: T): void {
    if (!this.#siftUp(member)) this.#siftDown(member);
  }

  #siftUp(member: T): boolean {
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

  #siftDown(member: T): void {
    let { heapIndex: index } = member;
    for (;;) {
      const left = this.#members[2 * index + 1];
      const right = this.#members[2 * index + 2];
      const isRightEarlier = right !== undefined && left !== undefined && right.atMs < left.atMs;
      const child = isRightEarlier ? right : left;
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
