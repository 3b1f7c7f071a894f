/** Which overdue deliveries to look for. */
export interface OverdueRequest {
  /** How late a delivery must be, ms. */
  readonly graceMs: number;
  /** How many to return at most. */
  readonly limit: number;
  /**
   * How far each delivery that is returned is put off, ms: it is due again after this time, and so returned again once
   * this and `graceMs` have passed, unless it started. Meanwhile others are returned, even if many of the first cannot
   * start, and several processes that ask get different ones. Nothing else changes: a delivery that was returned may
   * start at once, and leases end when they would have ended.
   */
  readonly putOffMs: number;
}
