/** When a transition happens. */
export interface Instant {
  readonly nowMs: number;
  /** By the clock that is never set back: an hour set back would stop a rate for as long. */
  readonly steadyMs: number;
}
