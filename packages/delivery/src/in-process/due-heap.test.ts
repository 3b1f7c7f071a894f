import { describe, expect, it } from 'vitest';
import { DueHeap } from './due-heap.ts';

interface Item {
  dueAtMs: number;
  readonly order: number;
  heapIndex: number | null;
}

/** The same numbers at every run. */
function randomNumbers(count: number, below: number): number[] {
  let state = 1;
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  });
}

const itemsOf = (times: readonly number[]): Item[] =>
  times.map((dueAtMs, order) => ({ dueAtMs, order, heapIndex: null }));

function takeAll(heap: DueHeap<Item>): Item[] {
  const taken: Item[] = [];
  for (let item = heap.take(); item !== undefined; item = heap.take()) taken.push(item);
  return taken;
}

const inOrder = (items: readonly Item[]): Item[] =>
  items.toSorted((one, other) => one.dueAtMs - other.dueAtMs || one.order - other.order);

describe('a heap of due times', () => {
  it('gives back what was added by due time, and what is due together in order', () => {
    const items = itemsOf(randomNumbers(2_000, 300));
    const heap = new DueHeap<Item>();
    for (const item of items) heap.add(item);
    expect(takeAll(heap)).toEqual(inOrder(items));
  });

  it('keeps order while items are moved to and fro', () => {
    const items = itemsOf(randomNumbers(500, 1_000));
    const heap = new DueHeap<Item>();
    for (const item of items) heap.add(item);
    const moves = randomNumbers(2_000, 1_000);
    moves.forEach((dueAtMs, index) => {
      const item = items[(index * 7) % items.length];
      if (item !== undefined) heap.move(item, dueAtMs);
    });
    expect(takeAll(heap)).toEqual(inOrder(items));
  });

  it('leaves alone what is not in it', () => {
    const [item] = itemsOf([5]);
    const heap = new DueHeap<Item>();
    if (item === undefined) throw new Error('unreachable');
    heap.move(item, 1);
    expect(heap.take()).toBeUndefined();
    heap.add(item);
    expect(heap.take()).toBe(item);
    heap.move(item, 1);
    expect(heap.peek()).toBeUndefined();
    expect(item.dueAtMs).toBe(5);
  });
});
