import type { Page } from './page.ts';

/** Which part of what waits is told anew when to ask. */
export interface RescheduleRequest extends Page {
  /** As for a start. */
  readonly rateMarginMs: number;
  /** As for a start: who finds no room among so many sleeps. */
  readonly maxInFlight: number;
  /** As for a start: by this is told when there is room at the worst. */
  readonly leaseMs: number;
}
