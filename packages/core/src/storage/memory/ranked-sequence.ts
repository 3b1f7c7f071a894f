const MIN_CAPACITY = 16;

/**
 * Values by numbers, which tells how many are before each: a Fenwick tree over the span of the numbers present.
 * Every operation takes O(log span), `add` amortised; memory is proportional to the span. Made for numbers that are
 * added, and mostly deleted, in ascending order, but any other order works too.
 */
export class RankedSequence<T> {
  #size = 0;
  /** The number of the first place. */
  #base = 0;
  #values: (T | undefined)[] = [];
  /** Entry `n` counts the values in the places before `n`, as far back as the lowest set bit of `n` says. */
  #counts = new Int32Array(1);

  get size(): number {
    return this.#size;
  }

  /** Puts a value at a number that has none. */
  add(number: number, value: T): void {
    // While empty, it can begin anywhere: so one that never holds more than a few values is never rebuilt.
    if (this.#size === 0) this.#base = number;
    if (!this.#covers(number)) this.#makeRoomFor(number);
    this.#put(number, value);
  }

  /** Removes a value; answers whether there was one. */
  delete(number: number): boolean {
    if (!this.#covers(number) || this.#values[number - this.#base] === undefined) return false;
    this.#values[number - this.#base] = undefined;
    this.#count(number, -1);
    return true;
  }

  /** How many values have lower numbers. The number itself need not have one. */
  rank(number: number): number {
    if (number >= this.#base + this.#values.length) return this.#size;
    let rank = 0;
    for (let place = number - this.#base; place > 0; place -= place & -place) {
      rank += this.#counts[place] ?? 0;
    }
    return rank;
  }

  /** The value that has `rank` others before it. */
  at(rank: number): T | undefined {
    if (rank < 0 || rank >= this.#size) return undefined;
    let place = 0;
    let left = rank;
    for (let step = this.#values.length; step > 0; step >>= 1) {
      const counted = this.#counts[place + step];
      if (counted === undefined || counted > left) continue;
      place += step;
      left -= counted;
    }
    return this.#values[place];
  }

  /** In the order of their numbers. Values may be deleted meanwhile. */
  *values(): IterableIterator<T> {
    for (const value of this.#values) if (value !== undefined) yield value;
  }

  #covers(number: number): boolean {
    return number >= this.#base && number < this.#base + this.#values.length;
  }

  #put(number: number, value: T): void {
    this.#values[number - this.#base] = value;
    this.#count(number, 1);
  }

  #count(number: number, change: 1 | -1): void {
    this.#size += change;
    const counts = this.#counts;
    for (let place = number - this.#base + 1; place < counts.length; place += place & -place) {
      counts[place] = (counts[place] ?? 0) + change;
    }
  }

  /** Takes a span at least twice as wide as needed, so that it is rebuilt rarely. */
  #makeRoomFor(number: number): void {
    const [oldBase, oldValues] = [this.#base, this.#values];
    const first = oldBase + oldValues.findIndex(isPresent);
    const last = oldBase + oldValues.findLastIndex(isPresent);
    const [low, high] =
      this.#size === 0 ? [number, number] : [Math.min(first, number), Math.max(last, number)];
    // A number that comes out of order gets room before it: the next may come from even further back.
    this.#base = number === low && number < high ? number - (high - low + 1) : low;
    const needed = 2 * (high - this.#base + 1);
    const capacity = Math.max(MIN_CAPACITY, 2 ** Math.ceil(Math.log2(needed)));
    this.#values = new Array<T | undefined>(capacity).fill(undefined);
    this.#counts = new Int32Array(capacity + 1);
    this.#size = 0;
    for (let place = first - oldBase; place <= last - oldBase; place += 1) {
      const value = oldValues[place];
      if (value !== undefined) this.#put(oldBase + place, value);
    }
    // Until the next full garbage collection, an old array keeps alive what it points at.
    oldValues.fill(undefined);
  }
}

function isPresent(value: unknown): boolean {
  return value !== undefined;
}
