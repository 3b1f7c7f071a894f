import { StorageUnavailableError } from '@latchhook/core/storage';

/** How much of a list one call looks at, at most: however much of it is forgotten, Redis is busy for milliseconds. */
export const MAX_LOOKED_AT = 200;

/** How many calls one page takes, at most: about as many as there is time for before a deadline. */
const MAX_CALLS = 100;

/** A part of a list, asked for by the place behind which it begins; `null`: from the start. */
interface PageBehind<Place> {
  readonly limit: number;
  readonly after: Place | null;
}

/** What one call found of a page. */
export interface PagePart<Item> {
  readonly items: readonly Item[];
  /** Whether it stopped at `MAX_LOOKED_AT`, before the page was full or the list was over. */
  readonly hasStopped: boolean;
}

/**
 * Asks until a page is full or the list is over, so that only the last page is short: callers rely on that. Each call
 * removes the forgotten items that it meets, and the next one begins behind the last item that was found.
 *
 * Where that is not enough it throws, as a short page would tell a client that it has seen everything. To ask again
 * gets further, since what was met is gone.
 *
 * @param placeOf - the place of an item, behind which the list goes on.
 * @param ask - answers `null` where there is no such list, which is then answered.
 * @throws {StorageUnavailableError} where more is forgotten than is taken out for one page.
 */
export async function fillPage<Item, Place>(
  { limit, after }: PageBehind<Place>,
  placeOf: (item: Item) => Place,
  ask: (page: PageBehind<Place>) => Promise<PagePart<Item> | null>,
): Promise<readonly Item[] | null> {
  const items: Item[] = [];
  for (let calls = 0; calls < MAX_CALLS; calls += 1) {
    const last = items.at(-1);
    const behind = last === undefined ? after : placeOf(last);
    const part = await ask({ limit: limit - items.length, after: behind });
    if (part === null) return part;
    items.push(...part.items);
    if (!part.hasStopped) return items;
  }
  throw new StorageUnavailableError('More of a list is forgotten than is taken out for one page.');
}
