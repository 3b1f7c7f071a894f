/** A position in the two lines of a webhook, in the order of rescheduling: all retries, then all first tries. */
export interface LinePosition {
  readonly line: 'retries' | 'first_tries';
  /** An integer from 1, rising along its line; nothing else is to be read from it. */
  readonly sequence: number;
}
