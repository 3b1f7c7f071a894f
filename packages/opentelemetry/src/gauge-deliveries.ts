import { ConfigError } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { gaugeBacklog } from './gauge-backlog.ts';
import { type InstrumentOptions, meterOf } from './instrument-options.ts';

/** How far the outbox is counted at each export: nothing bounds what waits there while nobody takes it. */
const OUTBOX_COUNT_LIMIT = 10_000;

/**
 * Observes the backlog of deliveries of the whole storage: how many are to come, as `latchhook.delivery.pending`, and
 * how late the first of them is, as `latchhook.delivery.lag`. The latter shows that no process sends any more, which
 * nothing that sends could report. Call it in one process, such as one that only publishes: in each it would ask the
 * same.
 *
 * If the storage has an outbox, also how many messages of committed transactions wait there to become deliveries, as
 * `latchhook.outbox.pending`, counted up to 10,000, and how long ago the first was written, as `latchhook.outbox.lag`.
 *
 * Nothing is observed while the storage does not answer, or if it keeps no deliveries.
 *
 * @throws {ConfigError} `storage_invalid`
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
  const { deliveries } = storage;
  if (deliveries === undefined) return;
  const meter = meterOf(options);
  gaugeBacklog(meter, {
    name: 'latchhook.delivery',
    pending: {
      description: 'Deliveries that are queued, in flight or waiting for their next attempt',
      unit: '{delivery}',
    },
    lag: { description: 'How late the first delivery is that should have started and has not' },
    measure: async () => Promise.all([deliveries.countPending(), deliveries.lagMs()]),
  });
  const { outbox } = deliveries;
  if (outbox === undefined) return;
  gaugeBacklog(meter, {
    name: 'latchhook.outbox',
    pending: {
      description: 'Messages of committed transactions that no process has taken, up to 10,000',
      unit: '{message}',
    },
    lag: { description: 'How long ago the first message was written that no process has taken' },
    measure: async () =>
      Promise.all([outbox.countPending({ limit: OUTBOX_COUNT_LIMIT }), outbox.lagMs()]),
  });
}
