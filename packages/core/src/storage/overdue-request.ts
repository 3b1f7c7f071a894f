/** What is looked for that should have started. */
export interface OverdueRequest {
  /** How late it must be, ms. */
  readonly graceMs: number;
  /** How many are told at most. */
  readonly limit: number;
  /**
   * What is told is put off by it: due anew so long from now, ms, and so told again once this and `graceMs` have passed,
   * where nothing became of it. Others are told meanwhile, however many of these cannot start, and several processes that
   * ask are told different ones. Nothing else changes: what was told may start at once, and the end of a lease is where
   * it was.
   */
  readonly putOffMs: number;
}
