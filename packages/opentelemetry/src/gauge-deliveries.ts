import type { Storage } from '@latchhook/core/storage';
import { type InstrumentOptions, meterOf } from './instrument-options.ts';

/**
 * Observes the backlog of deliveries of the whole storage: how many are to come, as `latchhook.delivery.pending`, and how
 * late the first of them is, as `latchhook.delivery.lag`. The latter tells that no process sends any more, which nothing
 * that sends could tell. Call it in one process, such as one that only publishes: in each it would ask the same.
 *
 * Nothing is observed while the storage does not answer, or if it keeps no deliveries.
 *
 * @example
 * ```ts
 * import type { Storage } from '@latchhook/core/storage';
 * import { gaugeDeliveries } from '@latchhook/opentelemetry';
 *
 * declare const storage: Storage;
 * gaugeDeliveries(storage);
 * ```
 */
export function gaugeDeliveries(
  { deliveries }: Pick<Storage, 'deliveries'>,
  options: InstrumentOptions = {},
): void {
  if (deliveries === undefined) return;
  const meter = meterOf(options);
  const pending = meter.createObservableGauge('latchhook.delivery.pending', {
    description: 'Deliveries that are queued, under way or waiting for their next attempt',
    unit: '{delivery}',
  });
  const lag = meter.createObservableGauge('latchhook.delivery.lag', {
    description: 'How late the first delivery is that should have started and has not',
    unit: 's',
  });
  meter.addBatchObservableCallback(
    async (result) => {
      const measured = await Promise.all([deliveries.countPending(), deliveries.lagMs()]).catch(
        () => null,
      );
      if (measured === null) return;
      const [count, lagMs] = measured;
      result.observe(pending, count);
      result.observe(lag, lagMs / 1000);
    },
    [pending, lag],
  );
}
