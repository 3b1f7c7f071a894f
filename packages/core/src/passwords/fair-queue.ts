import { createLinkedList, type LinkedList } from '../linked-list.ts';

/**
 * A queue that serves fairness keys round-robin; within one key it is first come, first served. The queue itself is
 * unlimited: a caller with a limit calls {@link FairQueue.evictFor} once the limit is reached.
 *
 * Every operation takes constant time, regardless of the number of waiters and keys: an overload does not make the
 * queue slow.
 */
export interface FairQueue<T> {
  readonly size: number;
  /** The waiter that has waited longest of all. */
  readonly oldest: T | undefined;
  /** A key without waiters joins the round-robin at its end. */
  enqueue(key: string, waiter: T): void;
  /** Removes the oldest waiter of the key that is next in the round-robin. */
  dequeue(): T | undefined;
  /** Removes the waiter that has waited longest of all. */
  removeOldest(): T | undefined;
  /**
   * Removes a waiter to make room for a newcomer of `key`: the newest waiter of a key with the most waiters. Removes
   * none if `key` would then have at least as many waiters as the fullest key has now. Otherwise two equally full keys
   * would evict each other's waiters, and no waiter would stay long enough to be served.
   */
  evictFor(key: string): T | undefined;
}

/** The waiters of one key: at least one. */
interface KeyQueue<T> {
  readonly positions: LinkedList<QueuePosition<T>>;
  moveToEndOfRoundRobin(): void;
  /** Call after a position was added or removed. */
  updateSize(): void;
}

interface QueuePosition<T> {
  readonly waiter: T;
  remove(): void;
}

export function createFairQueue<T>(): FairQueue<T> {
  const queues = new Map<string, KeyQueue<T>>();
  /** The queues of all keys; the first is served next. */
  const roundRobin = createLinkedList<KeyQueue<T>>();
  /** The positions of all queues, oldest first. */
  const byAge = createLinkedList<QueuePosition<T>>();
  /** At `n - 1`, the queues with `n` positions. The last entry is not empty, so it has the longest queues. */
  const bySize: LinkedList<KeyQueue<T>>[] = [];

  // `append` returns the function that removes the item again: `leaveRoundRobin`, `leaveByAge` and so on.

  function addKey(key: string): KeyQueue<T> {
    const positions = createLinkedList<QueuePosition<T>>();
    const queue = { positions, moveToEndOfRoundRobin, updateSize };
    let leaveRoundRobin = roundRobin.append(queue);
    let leaveSizeGroup = (): void => undefined;
    queues.set(key, queue);
    return queue;

    function moveToEndOfRoundRobin(): void {
      leaveRoundRobin();
      leaveRoundRobin = roundRobin.append(queue);
    }

    function updateSize(): void {
      leaveSizeGroup();
      if (positions.size > 0) {
        const sameSize = bySize[positions.size - 1] ?? createLinkedList();
        bySize[positions.size - 1] = sameSize;
        leaveSizeGroup = sameSize.append(queue);
      } else {
        leaveRoundRobin();
        queues.delete(key);
      }
      while (bySize.at(-1)?.size === 0) bySize.pop();
    }
  }

  function addPosition(queue: KeyQueue<T>, waiter: T): void {
    const position = { waiter, remove };
    const leaveByAge = byAge.append(position);
    const leaveQueue = queue.positions.append(position);
    queue.updateSize();

    function remove(): void {
      leaveByAge();
      leaveQueue();
      queue.updateSize();
    }
  }

  function removeAt(position: QueuePosition<T> | undefined): T | undefined {
    position?.remove();
    return position?.waiter;
  }

  return {
    enqueue(key, waiter) {
      addPosition(queues.get(key) ?? addKey(key), waiter);
    },
    dequeue() {
      const queue = roundRobin.first;
      queue?.moveToEndOfRoundRobin();
      return removeAt(queue?.positions.first);
    },
    removeOldest() {
      return removeAt(byAge.first);
    },
    evictFor(key) {
      const maxSize = bySize.length;
      const size = queues.get(key)?.positions.size ?? 0;
      return size + 1 < maxSize ? removeAt(bySize.at(-1)?.last?.positions.last) : undefined;
    },
    get size() {
      return byAge.size;
    },
    get oldest() {
      return byAge.first?.waiter;
    },
  };
}
