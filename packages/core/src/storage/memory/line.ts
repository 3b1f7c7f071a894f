const MIN_CAPACITY = 16;

/** What a {@link Line} can hold. It may be a member of one at a time. */
export interface LineMember {
  /** Private to the line that it is in; `null`: it is in none. */
  linePlace: number | null;
}

/**
 * Members in the order in which they joined; any can leave. Every operation takes O(1), amortised, and memory is
 * proportional to the most that were in it at a time.
 *
 * Not a linked list: as long as nobody has collected one that has left, all that joined after it would survive.
 */
export class Line<T extends LineMember> {
  /** A ring, whose length is a power of two. */
  #places = emptyPlaces<T>(MIN_CAPACITY);
  /** The place of the first member. */
  #first = 0;
  /** How many places there are from the first member to the last, with those between that are empty. */
  #span = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#places[this.#first];
  }

  join(member: T): void {
    if (this.#span === this.#places.length) this.#closeGaps();
    member.linePlace = this.#place(this.#span);
    this.#places[member.linePlace] = member;
    this.#span += 1;
    this.#size += 1;
  }

  /** Does nothing if it is in none. */
  leave(member: T): void {
    if (member.linePlace === null) return;
    this.#places[member.linePlace] = undefined;
    member.linePlace = null;
    this.#size -= 1;
    while (this.#span > 0 && this.first === undefined) {
      this.#first = this.#place(1);
      this.#span -= 1;
    }
  }

  #place(nth: number): number {
    return (this.#first + nth) & (this.#places.length - 1);
  }

  /** Leaves at least half of the places empty, so that it is done rarely. */
  #closeGaps(): void {
    const members: T[] = [];
    for (let nth = 0; nth < this.#span; nth += 1) {
      const member = this.#places[this.#place(nth)];
      if (member !== undefined) members.push(member);
    }
    const capacity = this.#places.length;
    this.#places.fill(undefined);
    if (2 * members.length > capacity) this.#places = emptyPlaces(2 * capacity);
    this.#first = 0;
    this.#span = 0;
    this.#size = 0;
    for (const member of members) this.join(member);
  }
}

function emptyPlaces<T>(capacity: number): (T | undefined)[] {
  return new Array<T | undefined>(capacity).fill(undefined);
}
