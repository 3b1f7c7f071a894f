/**
 * A part of a list, asked for by the sequence of its items. Fewer than `limit` are answered on the last page alone: others
 * take the place of what was forgotten.
 */
export interface Page {
  /** 1 to 100. */
  readonly limit: number;
  /** The sequence of the last item of the page before; `null`: from the start. */
  readonly after: number | null;
}
