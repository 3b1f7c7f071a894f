import { createLinkedList, type LinkedList } from '../linked-list.ts';

/**
 * A queue that serves tenants round-robin; within one tenant it is first come, first served. It has no capacity of its
 * own: a caller with one calls {@link FairQueue.evictFor} once that is reached.
 *
 * Every operation takes constant time, regardless of the number of waiters and tenants, so that the overload that this
 * is for does not make it slow as well.
 */
export interface FairQueue<T> {
  readonly size: number;
  /** The waiter that has waited longest of all. */
  readonly oldest: T | undefined;
  /** A tenant without waiters joins the round-robin at its end. */
  enqueue(tenantKey: string, waiter: T): void;
  /** Removes the oldest waiter of the tenant that is next in the round-robin. */
  dequeue(): T | undefined;
  /** Removes the waiter that has waited longest of all. */
  removeOldest(): T | undefined;
  /**
   * Removes a waiter to make room for a newcomer of `tenantKey`: the newest of a tenant with the most waiters. Removes
   * none if `tenantKey` would then have more waiters than that tenant, whose next newcomer could take the position
   * back: among equals nobody would keep a position long enough to be served.
   */
  evictFor(tenantKey: string): T | undefined;
}

/** The waiters of one tenant: at least one. */
interface TenantQueue<T> {
  readonly positions: LinkedList<QueuePosition<T>>;
  moveToEndOfRoundRobin(): void;
  /** Call when a position was added or removed. */
  resized(): void;
}

interface QueuePosition<T> {
  readonly waiter: T;
  remove(): void;
}

export function createFairQueue<T>(): FairQueue<T> {
  const queues = new Map<string, TenantQueue<T>>();
  /** The queues of all tenants; the first is served next. */
  const roundRobin = createLinkedList<TenantQueue<T>>();
  /** The positions of all queues, oldest first. */
  const byAge = createLinkedList<QueuePosition<T>>();
  /** At `n - 1`, the queues with `n` positions. The last entry is not empty, so it has the longest queues. */
  const bySize: LinkedList<TenantQueue<T>>[] = [];

  function addTenant(tenantKey: string): TenantQueue<T> {
    const positions = createLinkedList<QueuePosition<T>>();
    const queue = { positions, moveToEndOfRoundRobin, resized };
    let leaveRoundRobin = roundRobin.append(queue);
    let leaveSizeGroup = (): void => undefined;
    queues.set(tenantKey, queue);
    return queue;

    function moveToEndOfRoundRobin(): void {
      leaveRoundRobin();
      leaveRoundRobin = roundRobin.append(queue);
    }

    function resized(): void {
      leaveSizeGroup();
      if (positions.size > 0) {
        const sameSize = bySize[positions.size - 1] ?? createLinkedList();
        bySize[positions.size - 1] = sameSize;
        leaveSizeGroup = sameSize.append(queue);
      } else {
        leaveRoundRobin();
        queues.delete(tenantKey);
      }
      while (bySize.at(-1)?.size === 0) bySize.pop();
    }
  }

  function addPosition(queue: TenantQueue<T>, waiter: T): void {
    const position = { waiter, remove };
    const leaveByAge = byAge.append(position);
    const leaveQueue = queue.positions.append(position);
    queue.resized();

    function remove(): void {
      leaveByAge();
      leaveQueue();
      queue.resized();
    }
  }

  function removeAt(position: QueuePosition<T> | undefined): T | undefined {
    position?.remove();
    return position?.waiter;
  }

  return {
    enqueue(tenantKey, waiter) {
      addPosition(queues.get(tenantKey) ?? addTenant(tenantKey), waiter);
    },
    dequeue() {
      const queue = roundRobin.first;
      queue?.moveToEndOfRoundRobin();
      return removeAt(queue?.positions.first);
    },
    removeOldest() {
      return removeAt(byAge.first);
    },
    evictFor(tenantKey) {
      const most = bySize.length;
      const own = queues.get(tenantKey)?.positions.size ?? 0;
      return own + 1 < most ? removeAt(bySize.at(-1)?.last?.positions.last) : undefined;
    },
    get size() {
      return byAge.size;
    },
    get oldest() {
      return byAge.first?.waiter;
    },
  };
}
