/**
 * A part of a list, asked for by the sequence of its items. Only the last page has fewer than `limit`: other items take
 * the place of forgotten ones.
 */
export interface Page {
  /** 1 to 100. */
  readonly limit: number;
  /** The sequence of the last item of the page before; `null`: from the start. */
  readonly after: number | null;
}
