import type { StartDeliveryWorker } from '@latchhook/core';
import { type DeliveryContext, monotonicMs, preload } from '@latchhook/core/delivery';
import { LEASE_SLACK_MS, LONGEST_ATTEMPT_MS } from '@latchhook/core/storage';
import { createSender } from './send/create-sender.ts';
import { undici } from './send/undici.ts';
import { type ResolvedSending, resolveSending, type SendingOptions } from './sending-options.ts';
import { DeliveryLoop } from './worker/delivery-loop.ts';
import { type LazySender, lazySender } from './worker/lazy-sender.ts';
import { unrefTimers } from './worker/unref-timers.ts';

/**
 * Sends deliveries from the process that it is given to: for `webhooks.worker`. Any number of processes may send; the
 * rate of each webhook and the bounds on attempts in flight hold over all of them.
 *
 * What survives the end of a process is up to the storage. `memoryStorage` loses all with it. With one that lasts
 * nothing is lost: what was in flight is sent again by others once its lease of 20 seconds is over, and may arrive
 * twice, with the same `webhook-id`.
 *
 * It keeps no process alive.
 *
 * @throws {ConfigError} `option_out_of_bounds`, `option_unknown`, `options_invalid`
 * @example
 * ```ts
 * import { inProcessWorker } from '@latchhook/delivery';
 *
 * const worker = inProcessWorker({ concurrency: 50 });
 * ```
 */
export function inProcessWorker(options: SendingOptions = {}): StartDeliveryWorker {
  const sending = resolveSending(options);
  const { concurrency, closeMs, timers = unrefTimers } = sending;
  return (context) => {
    void preload([undici]);
    const sender = openSender(context, sending);
    const loop = new DeliveryLoop({
      store: context.deliveries,
      context,
      sender,
      timers,
      random: Math.random,
      nowMs: () => monotonicMs(context.clock),
      concurrency,
    });
    loop.start();
    let closing: Promise<void> | undefined;
    const end = async (): Promise<void> => {
      const { outcome } = await loop.stop(closeMs);
      // It waits for attempts in flight, too.
      const closed = sender.close();
      if (outcome === 'drained') await closed;
    };
    return {
      drain: ({ deadlineMs }) => loop.drain(deadlineMs),
      close: () => (closing ??= end()),
    };
  };
}

/** Made when it is first needed, by the policy of the app. An attempt never takes longer than its lease. */
function openSender(
  { policy }: DeliveryContext,
  { dispatcher, timers }: Pick<ResolvedSending, 'dispatcher' | 'timers'>,
): LazySender {
  return lazySender(async () => {
    await undici.load();
    return createSender({
      allowHttp: policy.allowHttp,
      allowPrivateAddresses: policy.allowPrivateAddresses,
      allowedPorts: policy.allowedPorts,
      timeoutMs: Math.min(LONGEST_ATTEMPT_MS, policy.leaseMs - LEASE_SLACK_MS),
      ...(timers && { timers }),
      ...(dispatcher && { dispatcher }),
    });
  });
}
