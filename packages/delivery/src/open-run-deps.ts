import type { DeliveryContext, DeliveryPolicy, Timers } from '@latchhook/core/delivery';
import { LEASE_SLACK_MS, LONGEST_ATTEMPT_MS } from '@latchhook/core/storage';
import { createFaultReporter } from './fault-reporter.ts';
import { AccountSlots } from './runs/account-slots.ts';
import { AdmissionDelay } from './runs/admission-delay.ts';
import { type LazySender, lazySender } from './runs/lazy-sender.ts';
import type { RunDeps } from './runs/run-delivery.ts';
import { StartWindow } from './runs/start-window.ts';
import { createSender } from './send/create-sender.ts';
import { undici } from './send/undici.ts';
import type { SendingOptions } from './sending-options.ts';

/** What the runs of one process are made with, whichever engine it is; its queue adds who begins the next. */
export function openRunDeps(
  context: DeliveryContext,
  options: SendingOptions,
  {
    concurrency,
    timers,
    isTimeOfDayOurs,
  }: { readonly concurrency: number; readonly timers: Timers; readonly isTimeOfDayOurs: boolean },
): Omit<RunDeps, 'startNext'> {
  return {
    context,
    isTimeOfDayOurs,
    sender: openSender(context.policy, options, timers),
    timers,
    random: Math.random,
    report: createFaultReporter(context),
    slots: new AccountSlots(concurrency),
    startWindow: new StartWindow(),
    admissionDelay: new AdmissionDelay(context.policy.rateMarginMs),
  };
}

/** How long an attempt may take, ms: never longer than its lease, less what a live attempt does not use of that. */
export function attemptTimeoutMs({ leaseMs }: Pick<DeliveryPolicy, 'leaseMs'>): number {
  return Math.min(LONGEST_ATTEMPT_MS, leaseMs - LEASE_SLACK_MS);
}

/** Makes what sends, by the policy of the app. */
function openSender(
  policy: DeliveryPolicy,
  { dispatcher }: SendingOptions,
  timers: Timers,
): LazySender {
  return lazySender(async () => {
    await undici.load();
    return createSender({
      allowHttp: policy.allowHttp,
      allowPrivateAddresses: policy.allowPrivateAddresses,
      allowedPorts: policy.allowedPorts,
      timeoutMs: attemptTimeoutMs(policy),
      timers,
      ...(dispatcher === undefined ? {} : { dispatcher }),
    });
  });
}
