import type { Histogram, Meter } from '@opentelemetry/api';

/** The bucket boundaries of the semantic conventions for HTTP durations, s. */
export const REQUEST_BOUNDARIES: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/**
 * The bucket boundaries for attempts, s. As an attempt may take 15 s, they distinguish slow receivers from timeouts.
 */
export const DELIVERY_BOUNDARIES: readonly number[] = [...REQUEST_BOUNDARIES, 15, 20];

/** Options of a histogram of durations. */
export interface DurationHistogramOptions {
  readonly name: string;
  readonly description: string;
  readonly boundaries: readonly number[];
}

/** A histogram of seconds. */
export function durationHistogram(
  meter: Meter,
  { name, description, boundaries }: DurationHistogramOptions,
): Histogram {
  return meter.createHistogram(name, {
    description,
    unit: 's',
    advice: { explicitBucketBoundaries: [...boundaries] },
  });
}
