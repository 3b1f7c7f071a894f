import type { DeliveryContext, Timers } from '@latchhook/core/delivery';
import { createFaultReporter } from './fault-reporter.ts';
import { AccountSlots } from './runs/account-slots.ts';
import { AdmissionDelay } from './runs/admission-delay.ts';
import type { RunDeps } from './runs/run-delivery.ts';
import { StartWindow } from './runs/start-window.ts';
import { openSender, type SendingOptions } from './sending-options.ts';

/** What the runs of one process are made with, whichever engine it is; its queue adds who begins the next. */
export function openRunDeps(
  context: DeliveryContext,
  options: SendingOptions,
  { concurrency, timers }: { readonly concurrency: number; readonly timers: Timers },
): Omit<RunDeps, 'startNext'> {
  return {
    context,
    sender: openSender(context.policy, options, timers),
    timers,
    random: Math.random,
    report: createFaultReporter(context),
    slots: new AccountSlots(concurrency),
    startWindow: new StartWindow(),
    admissionDelay: new AdmissionDelay(),
  };
}
