import { ConfigError } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { assertInstrumentOptions, type InstrumentOptions, meterOf } from './instrument-options.ts';

/**
 * Observes the backlog of deliveries of the whole storage: `latchhook.delivery.pending` is how many deliveries wait or
 * are in flight, and `latchhook.delivery.lag` is for how long the oldest has been due. The lag shows that no process
 * sends any more, which no worker could report. Call it in one process only, such as one that only publishes: the
 * numbers are the same in each process.
 *
 * If the storage has an outbox, both gauges include the messages that wait in it: each counts as one delivery, due from
 * when the message was written.
 *
 * `@latchhook/postgres` counts no further than 100,000 deliveries, so there a longer backlog shows only in the lag.
 *
 * Nothing is observed while the storage is unavailable, or if it has no deliveries.
 *
 * @throws {ConfigError} `storage_invalid`, `options_invalid`, `option_unknown`
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
  storage: Pick<Storage, 'deliveries'>,
  options: InstrumentOptions = {},
): void {
  if (typeof storage !== 'object' || storage === null) {
    throw new ConfigError(
      'storage_invalid',
      'gaugeDeliveries takes the storage of createAuth: gaugeDeliveries(storage)',
    );
  }
  assertInstrumentOptions('gaugeDeliveries', options);
  const { deliveries } = storage;
  if (deliveries === undefined) return;
  const meter = meterOf(options);
  const pendingGauge = meter.createObservableGauge('latchhook.delivery.pending', {
    description: 'Deliveries that wait for an attempt or are in flight',
    unit: '{delivery}',
  });
  const lagGauge = meter.createObservableGauge('latchhook.delivery.lag', {
    description: 'How long the oldest delivery has been due',
    unit: 's',
  });
  meter.addBatchObservableCallback(
    async (result) => {
      const stats = await deliveries.stats().catch(() => null);
      if (stats === null) return;
      result.observe(pendingGauge, stats.pending);
      result.observe(lagGauge, stats.oldestDueAgeMs / 1000);
    },
    [pendingGauge, lagGauge],
  );
}
