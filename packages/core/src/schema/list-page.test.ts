import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { Page } from '../storage/page.ts';
import { type ListPage, listPage, pageQuery } from './list-page.ts';

const query = v.object(pageQuery);

/** A list of `count` items. */
function listOf(count: number) {
  const items = Array.from({ length: count }, (_, index) => ({ sequence: index + 1 }));
  return async ({ limit, after }: Page) =>
    items.filter(({ sequence }) => sequence > (after ?? 0)).slice(0, limit);
}

async function walkPages(count: number, limit: number): Promise<readonly (readonly number[])[]> {
  const pages: (readonly number[])[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const pageRequest = v.parse(query, { limit, ...(cursor === undefined ? {} : { cursor }) });
    const page: ListPage<{ sequence: number }> = await listPage(pageRequest, listOf(count));
    pages.push(page.items.map(({ sequence }) => sequence));
    cursor = page.nextCursor;
  }
  return pages;
}

describe('a list in pages', () => {
  it.each([
    [0, 2, [[]]],
    [1, 2, [[1]]],
    [2, 2, [[1, 2]]],
    [3, 2, [[1, 2], [3]]],
    [
      4,
      2,
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [3, 1, [[1], [2], [3]]],
  ])('of %i items with %i per page has the pages %j', async (count, limit, pages) => {
    expect(await walkPages(count, limit)).toEqual(pages);
  });

  it('asks the store for the item after a full page in a second call, because a call has at most 100', async () => {
    const requestedPages: Page[] = [];
    const list = listOf(200);
    await listPage(v.parse(query, { limit: 100 }), (page) => {
      requestedPages.push(page);
      return list(page);
    });
    expect(requestedPages).toEqual([
      { limit: 100, after: null },
      { limit: 1, after: 100 },
    ]);
  });

  it('is null if the list does not exist or is removed between two queries', async () => {
    const list = listOf(2);
    const missingList = async () => null;
    expect(await listPage({ limit: 1 }, missingList)).toBeNull();
    const removedAfterFirstQuery = (page: Page) =>
      page.after === null ? list(page) : missingList();
    expect(await listPage({ limit: 1 }, removedAfterFirstQuery)).toBeNull();
  });
});

describe('the query of a list', () => {
  it('defaults to fifty items and the first page', () => {
    expect(v.parse(query, {})).toEqual({ limit: 50 });
  });

  it.each([0, 101, -1, 1.5, '5', null])('rejects the limit %j', (limit) => {
    expect(v.is(query, { limit })).toBe(false);
  });

  const cursor = (text: string): string => Buffer.from(text).toString('base64url');

  it('accepts every cursor up to the largest safe integer', () => {
    for (const sequence of [0, 1, 10, 123_456_789, Number.MAX_SAFE_INTEGER]) {
      expect(v.parse(query, { cursor: cursor(String(sequence)) }).cursor).toBe(sequence);
    }
  });

  it.each([
    '',
    '1',
    'x',
    cursor('-1'),
    cursor('1.5'),
    cursor('01'),
    cursor('1e3'),
    cursor(' 1'),
    cursor('x'),
    cursor('9007199254740993'),
    cursor('Infinity'),
    `${cursor('12')}=`,
    `${cursor('123')}A`,
    'M\u0000Q',
    cursor('1'.repeat(400)),
  ])('rejects the cursor %j', (text) => {
    expect(v.is(query, { cursor: text })).toBe(false);
  });
});
