import type { LinePosition } from './line-position.ts';

/** Which of the deliveries that wait are rescheduled, and by what. */
export interface RescheduleRequest {
  /** 1 to 100. Only the last page has fewer: other deliveries take the place of forgotten ones. */
  readonly limit: number;
  /** The position of the last one rescheduled; `null`: from the first retry. */
  readonly after: LinePosition | null;
  /** As for a start. */
  readonly rateMarginMs: number;
  /** As for a start: a delivery that finds no room among this many is parked. */
  readonly maxInFlight: number;
  /** As for a start: by when there is room at the worst. */
  readonly leaseMs: number;
}
