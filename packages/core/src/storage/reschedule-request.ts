import type { Page } from './page.ts';

/** Which part of what waits is told anew when it may start. */
export interface RescheduleRequest extends Page {
  /** As for a start. */
  readonly rateMarginMs: number;
  /** As for a start: so many of those that sleep are woken as there is room for. */
  readonly maxInFlight: number;
}
