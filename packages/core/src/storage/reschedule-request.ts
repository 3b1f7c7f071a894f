import type { Page } from './page.ts';

/** Which of the deliveries that wait are rescheduled. */
export interface RescheduleRequest extends Page {
  /** As for a start. */
  readonly rateMarginMs: number;
  /** As for a start: a delivery that finds no room among this many is parked. */
  readonly maxInFlight: number;
  /** As for a start: by when there is room at the worst. */
  readonly leaseMs: number;
}
