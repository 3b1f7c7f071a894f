import { type Page, StorageUnavailableError } from '@latchhook/core';

/** So many of a list one call looks at, at most: however much of it is forgotten, Redis is busy for milliseconds. */
export const MAX_LOOKED_AT = 200;

/** So often it is asked for one page, at most: as many forgotten ones are met by then as a deadline has time for. */
const MAX_ASKED = 100;

/** What one call found of a page. */
export interface PagePart<Item> {
  readonly items: readonly Item[];
  /** Whether it looked at as many as it may, and stopped before the page was full or the list was over. */
  readonly hasStopped: boolean;
}

/**
 * Asks until a page is full or the list is over, so that a short page is the last: callers rely on it. Each call takes
 * what is forgotten out of the list as it meets it, so the next one begins behind the last item that was found.
 *
 * Where that is not enough, there is no page: a short one would tell a client that all was seen. Who asks again gets
 * further, since what was met is gone.
 *
 * @typeParam None - `null` where there may be nothing to list from, which is answered then; else `never`.
 * @param cursorOf - where the list goes on behind an item.
 * @throws StorageUnavailableError where more is forgotten than is taken out for one page.
 */
export async function fillPage<Item, None extends null>(
  { limit, after }: Page,
  cursorOf: (item: Item) => number,
  ask: (page: Page) => Promise<PagePart<Item> | None>,
): Promise<readonly Item[] | None> {
  const items: Item[] = [];
  for (let asked = 0; asked < MAX_ASKED; asked += 1) {
    const last = items.at(-1);
    const behind = last === undefined ? after : cursorOf(last);
    const part = await ask({ limit: limit - items.length, after: behind });
    if (part === null) return part;
    items.push(...part.items);
    if (!part.hasStopped) return items;
  }
  throw new StorageUnavailableError('More of a list is forgotten than is taken out for one page.');
}
