/** What a heap keeps of an item: its due time, and where in the heap it stands. */
export interface DueItem {
  dueAtMs: number;
  /** Of those that are due at the same moment, the one with the smaller number goes first. */
  readonly order: number;
  /** Owned by the heap; `null` while the item is in none. */
  heapIndex: number | null;
}

/**
 * Items by due time, the earliest first: a binary heap, O(log n) for each change.
 *
 * Not the heap of core's memory storage: here, items that are due at the same moment keep the order in which they came.
 */
export class DueHeap<Item extends DueItem> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The earliest. */
  peek(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  /** Takes the earliest out. */
  take(): Item | undefined {
    const earliest = this.#items[0];
    const last = this.#items.pop();
    if (earliest === undefined || last === undefined) return undefined;
    earliest.heapIndex = null;
    if (last !== earliest) this.#sink(last, 0);
    return earliest;
  }

  /** Gives an item that is in the heap another due time. */
  move(item: Item, dueAtMs: number): void {
    if (item.heapIndex === null) return;
    const isEarlier = dueAtMs < item.dueAtMs;
    item.dueAtMs = dueAtMs;
    if (isEarlier) this.#rise(item, item.heapIndex);
    else this.#sink(item, item.heapIndex);
  }

  /** Puts the item where it belongs between `index` and the top. */
  #rise(item: Item, index: number): void {
    const items = this.#items;
    let at = index;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || !isBefore(item, parent)) break;
      items[at] = parent;
      parent.heapIndex = at;
      at = above;
    }
    items[at] = item;
    item.heapIndex = at;
  }

  /** Puts the item where it belongs between `index` and the bottom. */
  #sink(item: Item, index: number): void {
    const items = this.#items;
    let at = index;
    for (;;) {
      const left = 2 * at + 1;
      let child = items[left];
      if (child === undefined) break;
      let below = left;
      const right = items[left + 1];
      if (right !== undefined && isBefore(right, child)) {
        child = right;
        below = left + 1;
      }
      if (!isBefore(child, item)) break;
      items[at] = child;
      child.heapIndex = at;
      at = below;
    }
    items[at] = item;
    item.heapIndex = at;
  }
}

function isBefore(one: DueItem, other: DueItem): boolean {
  return one.dueAtMs < other.dueAtMs || (one.dueAtMs === other.dueAtMs && one.order < other.order);
}
