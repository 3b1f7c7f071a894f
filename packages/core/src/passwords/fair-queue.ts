import { createLinkedList, type LinkedList } from '../linked-list.ts';

/**
 * A queue in which tenants take turns; within one tenant it is first come, first served. It has no bound of its own: a
 * caller with one calls {@link FairQueue.giveWay} once that is reached.
 *
 * Every operation takes constant time, however many wait and however many tenants there are: the crowd that this is for
 * must not make it slow as well.
 */
export interface FairQueue<T> {
  readonly size: number;
  /** The one who has waited longest of all. */
  readonly oldest: T | undefined;
  /** A tenant that has nobody waiting joins the turns at their end. */
  join(tenantKey: string, waiter: T): void;
  /** Takes out the longest waiting of the tenant whose turn it is. */
  next(): T | undefined;
  /** Takes out the one who has waited longest of all. */
  removeOldest(): T | undefined;
  /**
   * Takes out the waiter that has to make room for a newcomer of `tenantKey`: the newest of a tenant with the most
   * places. Takes out nobody if `tenantKey` would then have more places than that one: its next newcomer could take the
   * place back, and in a crowd of equals nobody would keep one long enough to be served.
   */
  giveWay(tenantKey: string): T | undefined;
}

/** The waiters of one tenant: at least one. */
interface TenantQueue<T> {
  readonly places: LinkedList<Place<T>>;
  /** Goes to the end of the turns. */
  passTurn(): void;
  /** Call when a place was taken or became free. */
  resized(): void;
}

interface Place<T> {
  readonly waiter: T;
  leave(): void;
}

export function createFairQueue<T>(): FairQueue<T> {
  const lines = new Map<string, TenantQueue<T>>();
  /** All lines, first the one whose turn it is. */
  const roundRobin = createLinkedList<TenantQueue<T>>();
  /** All places of all lines, in the order in which they were taken. */
  const ages = createLinkedList<Place<T>>();
  /** At `n - 1`, the lines with `n` places. The last entry is not empty, so the longest lines are found at once. */
  const bySize: LinkedList<TenantQueue<T>>[] = [];

  function openLine(tenantKey: string): TenantQueue<T> {
    const places = createLinkedList<Place<T>>();
    const line = { places, passTurn, resized };
    let leaveRoundRobin = roundRobin.append(line);
    let leaveSizeGroup = (): void => undefined;
    lines.set(tenantKey, line);
    return line;

    function passTurn(): void {
      leaveRoundRobin();
      leaveRoundRobin = roundRobin.append(line);
    }

    function resized(): void {
      leaveSizeGroup();
      if (places.size > 0) {
        const sameSize = bySize[places.size - 1] ?? createLinkedList();
        bySize[places.size - 1] = sameSize;
        leaveSizeGroup = sameSize.append(line);
      } else {
        leaveRoundRobin();
        lines.delete(tenantKey);
      }
      while (bySize.at(-1)?.size === 0) bySize.pop();
    }
  }

  function takePlace(line: TenantQueue<T>, waiter: T): void {
    const place = { waiter, leave };
    const leaveAges = ages.append(place);
    const leaveLine = line.places.append(place);
    line.resized();

    function leave(): void {
      leaveAges();
      leaveLine();
      line.resized();
    }
  }

  function takeOut(place: Place<T> | undefined): T | undefined {
    place?.leave();
    return place?.waiter;
  }

  return {
    join(tenantKey, waiter) {
      takePlace(lines.get(tenantKey) ?? openLine(tenantKey), waiter);
    },
    next() {
      const line = roundRobin.first;
      line?.passTurn();
      return takeOut(line?.places.first);
    },
    removeOldest() {
      return takeOut(ages.first);
    },
    giveWay(tenantKey) {
      const most = bySize.length;
      const held = lines.get(tenantKey)?.places.size ?? 0;
      return held + 1 < most ? takeOut(bySize.at(-1)?.last?.places.last) : undefined;
    },
    get size() {
      return ages.size;
    },
    get oldest() {
      return ages.first?.waiter;
    },
  };
}
