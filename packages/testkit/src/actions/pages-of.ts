import assert from 'node:assert/strict';
import type { Page } from '@latchhook/core/storage';

/** A cursor that leads back to an earlier page would never end. */
const MAX_PAGES = 100;

/** Reads a list page by page, up to an empty page, which is left out. */
export async function pagesOf<Item extends { readonly sequence: number }>(
  list: (page: Page) => Promise<readonly Item[] | null>,
  limit: number,
): Promise<readonly (readonly Item[])[]> {
  const pages: (readonly Item[])[] = [];
  for (let after: number | null = null; ; after = pages.at(-1)?.at(-1)?.sequence ?? null) {
    const page = (await list({ limit, after })) ?? [];
    if (page.length === 0) return pages;
    pages.push(page);
    assert.ok(pages.length < MAX_PAGES, 'the list does not end');
  }
}
