/**
 * The request of a page of a list, by the sequence of its items. Only the last page has fewer than `limit` items:
 * deleted items are skipped and the page is filled up.
 */
export interface Page {
  /** 1 to 100. */
  readonly limit: number;
  /** The sequence of the last item of the page before; `null`: from the start. */
  readonly after: number | null;
}
