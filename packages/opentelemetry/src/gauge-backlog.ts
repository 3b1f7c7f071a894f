import type { Meter } from '@opentelemetry/api';

/** Something that waits, as a gauge can measure it. */
export interface Backlog {
  /** What the names of both gauges begin with. */
  readonly name: string;
  /** What waits, and its unit. */
  readonly pending: { readonly description: string; readonly unit: string };
  /** Whose lag it is. */
  readonly lag: { readonly description: string };
  /** How many wait, and how late the first is, ms. */
  measure(): Promise<readonly [pending: number, lagMs: number]>;
}

/** Observes at every export how much waits, and how late the first is; neither where that cannot be measured. */
export function gaugeBacklog(meter: Meter, { name, pending, lag, measure }: Backlog): void {
  const pendingGauge = meter.createObservableGauge(`${name}.pending`, pending);
  const lagGauge = meter.createObservableGauge(`${name}.lag`, { ...lag, unit: 's' });
  meter.addBatchObservableCallback(
    async (result) => {
      const measured = await measure().catch(() => null);
      if (measured === null) return;
      const [count, lagMs] = measured;
      result.observe(pendingGauge, count);
      result.observe(lagGauge, lagMs / 1000);
    },
    [pendingGauge, lagGauge],
  );
}
