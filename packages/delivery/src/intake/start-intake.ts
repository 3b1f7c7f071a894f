import { type DeliveryQueue, rescheduleHead } from '@latchhook/core/delivery';
import type { RunDeps } from '../runs/run-delivery.ts';
import { startOutboxRelay } from './outbox-relay.ts';
import type { ResolvedSweep } from './sweep-options.ts';
import { type SweptQueue, startSweeper } from './sweeper.ts';

/** What brings a queue the deliveries that nobody hands to it. */
export interface Intake {
  /** Ends it; settles when no call is pending any more. */
  stop(): Promise<void>;
}

/**
 * Fetches from the store what no publisher handed to this queue: lost deliveries, by a sweeper, and messages that were
 * published within a transaction, by a relay. Every queue that sends has one.
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
): Intake {
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
      await Promise.all([sweeper.stop(), relay?.stop()]);
    },
  };
}
