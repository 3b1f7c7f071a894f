import { type DeliveryQueue, rescheduleHead } from '@latchhook/core/delivery';
import type { RunDeps } from '../runs/run-delivery.ts';
import { startOutboxRelay } from './outbox-relay.ts';
import { startReleaser } from './releaser.ts';
import type { Background } from './repeat.ts';
import type { ResolvedSweep } from './sweep-options.ts';
import { type SweptQueue, startSweeper } from './sweeper.ts';

/**
 * Fetches from the store what no publisher handed to this queue: lost deliveries, by a sweeper; those that were held
 * before their webhook was enabled, by a releaser; and messages that were published within a transaction, by a relay.
 * Every queue that sends has one.
 */
export function startIntake(
  {
    context,
    report,
    random,
    startWindow,
  }: Pick<RunDeps, 'context' | 'report' | 'random' | 'startWindow'>,
  queue: Pick<DeliveryQueue, 'enqueue'> & SweptQueue,
  sweep: ResolvedSweep,
): Background {
  const { deliveries, policy, emit, clock } = context;
  const { outbox } = deliveries;
  const sweeper = startSweeper(
    {
      deliveries,
      queue,
      report,
      clock,
      random,
      attemptsSoFar: () => startWindow.acquiredSoFar,
    },
    sweep,
  );
  const releaser = startReleaser({
    deliveries,
    queue,
    report,
    clock,
    random,
    timers: sweep.timers,
  });
  const relay =
    outbox &&
    startOutboxRelay({
      outbox,
      queue,
      emit,
      report,
      random,
      rescheduleHead: (webhook) => rescheduleHead({ deliveries, policy, queue }, webhook),
    });
  return {
    async stop() {
      await Promise.all([sweeper.stop(), releaser.stop(), relay?.stop()]);
    },
  };
}
