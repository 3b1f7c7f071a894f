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
 * Sends deliveries from the process of the app, as the value of `webhooks.worker`. Any number of processes may send;
 * the rate limit of each webhook and the limits on attempts in flight hold over all of them.
 *
 * The storage decides what survives the end of a process. `memoryStorage` loses everything. A durable storage loses
 * nothing: other workers send again a delivery in flight once its lease of 20 seconds is over, so a delivery may
 * arrive twice, with the same `webhook-id`.
 *
 * It does not keep the process alive.
 *
 * @throws {ConfigError} `option_out_of_bounds`, `option_unknown`, `options_invalid`, `webhooks_invalid`
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
    const sender = createLazySender(context, sending);
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
      // `sender.close` waits for attempts in flight. After a deadline there is no time to wait.
      const closed = sender.close();
      if (outcome === 'drained') await closed;
    };
    return {
      drain: ({ deadlineMs }) => loop.drain(deadlineMs),
      close: () => (closing ??= end()),
    };
  };
}

/** Creates a sender with the policy of the app. The timeout of an attempt is shorter than its lease. */
function createLazySender(
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
