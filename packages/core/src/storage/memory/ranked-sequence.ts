/** How many numbers a block is for. Fewer take more blocks, and more take more room where only few have values. */
const BLOCK_SIZE = 32;
const MIN_CAPACITY = 16;

/** Values of neighbouring numbers, by how far each is from the first of the block. */
interface Block<T> {
  /** The first of its numbers, divided by {@link BLOCK_SIZE}. */
  key: number;
  size: number;
  readonly values: (T | undefined)[];
}

/**
 * Values by numbers, which tells how many are before each: blocks in the order of their numbers, and a Fenwick tree
 * over how many values each has. Every operation takes O(log n), `add` amortised; memory is proportional to the most
 * values that it has held at a time, wherever their numbers are. Made for numbers that are added, and mostly deleted,
 * in ascending order; others take O(n / {@link BLOCK_SIZE}) where there is no block for them yet.
 */
export class RankedSequence<T> {
  #size = 0;
  /** Some have no values any more; they are removed when there is no room for another. */
  #blocks: Block<T>[] = [];
  /** Entry `n` counts the values in the blocks before the nth, as far back as the lowest set bit of `n` says. */
  #counts = new Int32Array(MIN_CAPACITY + 1);

  get size(): number {
    return this.#size;
  }

  /** Puts a value at a number that has none. */
  add(number: number, value: T): void {
    const key = Math.floor(number / BLOCK_SIZE);
    const position = this.#size === 0 ? this.#beginAgain(key) : this.#makeBlock(key);
    const block = this.#blocks[position];
    if (block === undefined) return;
    block.values[number - key * BLOCK_SIZE] = value;
    this.#count(position, 1);
  }

  /** Removes a value; answers whether there was one. */
  delete(number: number): boolean {
    if (this.#size === 0) return false;
    const key = Math.floor(number / BLOCK_SIZE);
    const position = this.#positionOf(key);
    const block = this.#blocks[position];
    const offset = number - key * BLOCK_SIZE;
    if (block?.key !== key || block.values[offset] === undefined) return false;
    block.values[offset] = undefined;
    this.#count(position, -1);
    return true;
  }

  /** How many values have lower numbers. The number itself need not have one. */
  rank(number: number): number {
    const key = Math.floor(number / BLOCK_SIZE);
    const position = this.#positionOf(key);
    const block = this.#blocks[position];
    let rank = 0;
    if (block?.key === key && block.size > 0) {
      for (let offset = number - key * BLOCK_SIZE - 1; offset >= 0; offset -= 1) {
        if (block.values[offset] !== undefined) rank += 1;
      }
    }
    for (let place = position; place > 0; place -= place & -place) {
      rank += this.#counts[place] ?? 0;
    }
    return rank;
  }

  /** The value that has `rank` others before it. */
  at(rank: number): T | undefined {
    if (rank < 0 || rank >= this.#size) return undefined;
    let position = 0;
    let left = rank;
    for (let step = this.#capacity; step > 0; step >>= 1) {
      const counted = this.#counts[position + step];
      if (counted === undefined || counted > left) continue;
      position += step;
      left -= counted;
    }
    const values = this.#blocks[position]?.values ?? [];
    for (let offset = 0; offset < BLOCK_SIZE; offset += 1) {
      const value = values[offset];
      if (value === undefined) continue;
      if (left === 0) return value;
      left -= 1;
    }
    return undefined;
  }

  /** In the order of their numbers. Values may be deleted meanwhile. */
  *values(): IterableIterator<T> {
    for (const { values } of [...this.#blocks]) {
      for (const value of values) if (value !== undefined) yield value;
    }
  }

  get #capacity(): number {
    return this.#counts.length - 1;
  }

  /** The position of the block with this key, or of the first one after it. */
  #positionOf(key: number): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const block = this.#blocks[middle];
      if (block !== undefined && block.key < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #count(position: number, change: 1 | -1): void {
    this.#size += change;
    const block = this.#blocks[position];
    if (block !== undefined) block.size += change;
    this.#countFrom(position, change);
  }

  #countFrom(position: number, change: number): void {
    const counts = this.#counts;
    for (let place = position + 1; place < counts.length; place += place & -place) {
      counts[place] = (counts[place] ?? 0) + change;
    }
  }

  /** So one that never holds more than a few values needs one block for good. */
  #beginAgain(key: number): number {
    const [block = newBlock<T>(key)] = this.#blocks;
    block.key = key;
    if (this.#blocks.length !== 1) this.#blocks = [block];
    return 0;
  }

  /** Finds or makes the block with this key; answers its position. */
  #makeBlock(key: number): number {
    const position = this.#positionOf(key);
    if (this.#blocks[position]?.key === key) return position;
    if (position === this.#blocks.length && position < this.#capacity) {
      this.#blocks.push(newBlock(key));
      return position;
    }
    return this.#rebuildWith(newBlock(key));
  }

  /** Leaves out blocks without values, and at least half of the capacity unused, so that it is done rarely. */
  #rebuildWith(added: Block<T>): number {
    const kept = this.#blocks.filter(({ size }) => size > 0);
    const index = kept.findLastIndex(({ key }) => key < added.key) + 1;
    kept.splice(index, 0, added);
    this.#blocks = kept;
    const capacity = Math.max(MIN_CAPACITY, 2 ** Math.ceil(Math.log2(2 * kept.length)));
    this.#counts = new Int32Array(capacity + 1);
    for (const [position, { size }] of kept.entries()) this.#countFrom(position, size);
    return index;
  }
}

function newBlock<T>(key: number): Block<T> {
  return { key, size: 0, values: new Array<T | undefined>(BLOCK_SIZE).fill(undefined) };
}
