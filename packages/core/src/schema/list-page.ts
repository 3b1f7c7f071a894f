import * as v from 'valibot';
import type { Page } from '../storage/page.ts';
import { integer, text } from './basic-fields.ts';
import { namedAfter } from './named.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

/** The length of the longest safe integer in base64url. */
const MAX_CURSOR_CHARS = 22;

/** The query parameters of every list. A cursor is read as the sequence that it encodes. */
export const pageQuery = {
  limit: v.optional(
    v.pipe(
      integer,
      v.minValue(1, 'must be at least 1'),
      v.maxValue(MAX_LIMIT, `must be at most ${MAX_LIMIT}`),
    ),
    DEFAULT_LIMIT,
  ),
  cursor: v.optional(
    v.pipe(
      text,
      v.check(isCursor, 'must be a next_cursor'),
      v.description('The `next_cursor` of the page before; absent: the first page.'),
      v.transform(sequenceOf),
    ),
  ),
};

/** The response of every list. */
export function pageAnswer<TItem extends v.GenericSchema>(item: TItem) {
  const page = v.strictObject({
    data: v.pipe(v.array(item), v.readonly()),
    next_cursor: v.nullable(v.string()),
  });
  return namedAfter(item, 'Page', page);
}

/** One page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page; `null` on the last. Opaque: its form may change. */
  readonly nextCursor: string | null;
}

/** The query of a list: its limit, and the sequence after which the page begins. */
interface ListQuery {
  readonly limit: number;
  readonly cursor?: number | undefined;
}

interface Sequenced {
  readonly sequence: number;
}

/** Reads a page, and finds out whether another follows: if the page is full, asks the store for one more item. */
export function listPage<Item extends Sequenced>(
  query: ListQuery,
  list: (page: Page) => Promise<readonly Item[]>,
): Promise<ListPage<Item>>;
/** `null`: the list does not exist (any more). */
export function listPage<Item extends Sequenced>(
  query: ListQuery,
  list: (page: Page) => Promise<readonly Item[] | null>,
): Promise<ListPage<Item> | null>;
export async function listPage<Item extends Sequenced>(
  query: ListQuery,
  list: (page: Page) => Promise<readonly Item[] | null>,
): Promise<ListPage<Item> | null> {
  const { limit, cursor } = query;
  const items = await list({ limit, after: cursor ?? null });
  if (items === null) return null;
  const last = items.at(-1);
  if (last === undefined || items.length < limit) return { items, nextCursor: null };
  const next = await list({ limit: 1, after: last.sequence });
  if (next === null) return null;
  return { items, nextCursor: next.length === 0 ? null : cursorOf(last.sequence) };
}

/** Opaque to clients, so that its format can change. */
function cursorOf(sequence: number): string {
  return Buffer.from(String(sequence)).toString('base64url');
}

function sequenceOf(cursor: string): number {
  return Number(Buffer.from(cursor, 'base64url').toString('latin1'));
}

function isCursor(cursor: string): boolean {
  if (cursor.length > MAX_CURSOR_CHARS) return false;
  const sequence = sequenceOf(cursor);
  // Compared with its own encoding because Node's decoder accepts text that is not base64url.
  return Number.isSafeInteger(sequence) && sequence >= 0 && cursorOf(sequence) === cursor;
}
