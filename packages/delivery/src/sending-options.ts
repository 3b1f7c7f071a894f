import type { DeliveryPolicy } from '@latchhook/core';
import { ConfigError } from '@latchhook/core';
import { type LazySender, lazySender } from './lazy-sender.ts';
import type { SenderOptions } from './send/create-sender.ts';
import type { SweepOptions } from './sweeper.ts';

const DEFAULT_CONCURRENCY = 100;
const DEFAULT_TIMEOUT_MS = 15_000;
/** What an attempt may take of its lease. The rest is for writing down how it went. */
const SHARE_OF_LEASE = 0.75;

/** What every engine lets the host choose. All of it has a default. */
export interface SendingOptions {
  /**
   * Attempts that this process has under way at a time, of all webhooks. With BullMQ as many from the queue,
   * and as many of events that it has published itself. Default: 100.
   */
  readonly concurrency?: number;
  /**
   * What connects in our place, such as undici's `ProxyAgent`. *Security:* names are then resolved by it or
   * by the proxy behind it, and to keep private networks out is up to them. Not closed by us.
   */
  readonly dispatcher?: NonNullable<SenderOptions['dispatcher']>;
  /** How lost deliveries are looked for. */
  readonly sweep?: SweepOptions;
}

/** @throws {ConfigError} `option_out_of_bounds` */
export function concurrencyOf({ concurrency = DEFAULT_CONCURRENCY }: SendingOptions): number {
  if (Number.isSafeInteger(concurrency) && concurrency >= 1) return concurrency;
  throw new ConfigError('option_out_of_bounds', 'concurrency must be an integer from 1');
}

/** What sends, by the policy of the app. */
export function openSender(policy: DeliveryPolicy, { dispatcher }: SendingOptions): LazySender {
  return lazySender(async () => {
    const { createSender } = await import('./send/create-sender.ts');
    return createSender({
      allowHttp: policy.allowHttp,
      allowPrivateAddresses: policy.allowPrivateAddresses,
      timeoutMs: Math.min(DEFAULT_TIMEOUT_MS, Math.floor(policy.leaseMs * SHARE_OF_LEASE)),
      ...(dispatcher === undefined ? {} : { dispatcher }),
    });
  });
}
