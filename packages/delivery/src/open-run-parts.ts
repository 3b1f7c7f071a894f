import type { DeliveryContext, Timers } from '@latchhook/core/delivery';
import { createFaultReporter } from './fault-reporter.ts';
import { AccountPlaces } from './runs/account-places.ts';
import { AdmissionDelay } from './runs/admission-delay.ts';
import type { RunParts } from './runs/run-delivery.ts';
import { StartTurns } from './runs/start-turns.ts';
import { openSender, type SendingOptions } from './sending-options.ts';

/** What the runs of one process are made with, whichever engine it is; its queue adds who begins the next. */
export function openRunParts(
  context: DeliveryContext,
  options: SendingOptions,
  { concurrency, timers }: { readonly concurrency: number; readonly timers: Timers },
): Omit<RunParts, 'startNext'> {
  return {
    context,
    sender: openSender(context.policy, options, timers),
    timers,
    random: Math.random,
    report: createFaultReporter(context),
    places: new AccountPlaces(concurrency),
    startTurns: new StartTurns(),
    admissionDelay: new AdmissionDelay(),
  };
}
