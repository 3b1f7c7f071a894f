/** When a transition happens. */
export interface Instant {
  readonly nowMs: number;
  /** By the monotonic clock: if the time of day were set back by an hour, a rate would stand still for as long. */
  readonly steadyMs: number;
}
