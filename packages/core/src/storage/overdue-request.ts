/** Which deliveries that should have started are looked for. */
export interface OverdueRequest {
  /** How late a delivery must be, ms. */
  readonly graceMs: number;
  /** How many are told at most. */
  readonly limit: number;
  /**
   * By how much a delivery is put off when it is told, ms: it is due again after this time, and so told again once this
   * and `graceMs` have passed, unless it started. Meanwhile others are told, however many of these cannot start, and
   * several processes that ask are told different ones. Nothing else changes: what was told may start at once, and
   * leases end when they did.
   */
  readonly putOffMs: number;
}
