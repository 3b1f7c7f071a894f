import type { Histogram, Meter } from '@opentelemetry/api';

/** The boundaries that the semantic conventions advise for HTTP durations, s. */
export const REQUEST_BOUNDARIES: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** An attempt may take 15 s: a receiver that is about to time out must not look like one that did, s. */
export const DELIVERY_BOUNDARIES: readonly number[] = [...REQUEST_BOUNDARIES, 15, 20];

/** What a histogram of durations shows. */
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
