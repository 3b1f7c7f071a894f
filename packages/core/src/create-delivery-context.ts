import type { AuthOptions, KeyOptions } from './auth-options.ts';
import { assertClock, assertListener } from './options/assert-host-parts.ts';
import { createEncryptionRing } from './options/encryption-ring.ts';
import { assertDeliveryContextNames } from './options/option-names.ts';
import { assertEngine, resolveDeliveryPolicy } from './options/resolve-webhooks.ts';
import { deliveryStore } from './options/webhook-stores.ts';
import { systemClock } from './ports/clock.ts';
import { createSecurityEvents } from './ports/security-event-emitter.ts';
import { warn } from './ports/warning.ts';
import type { DeliveryStore } from './storage/delivery-store.ts';
import { MemoryDeliveryStore } from './storage/memory/memory-delivery-store.ts';
import type { Storage } from './storage/storage.ts';
import { deliveryContext } from './webhooks/delivery-context.ts';
import type { DeliveryContext } from './webhooks/delivery-engine.ts';
import { createSecretBox } from './webhooks/secret-box.ts';
import type { WebhookOptions } from './webhooks/webhook-options.ts';

/** Options for a process that sends webhooks and serves no HTTP: the same as those of the app's `createAuth`. */
export interface DeliveryContextOptions extends Pick<AuthOptions, 'onSecurityEvent' | 'clock'> {
  /** The app's: deliveries are read and finished there. */
  readonly storage: Pick<Storage, 'deliveries'>;
  /** The app's: what was encrypted there is decrypted here. */
  readonly keys: Required<Pick<KeyOptions, 'encryption'>>;
  /** `delivery` is the engine that the context is for; `schemas` are ignored. */
  readonly webhooks: WebhookOptions;
}

/**
 * What an engine needs of the app, for a process that only sends: see `createDeliveryWorker` of
 * `@latchhook/delivery`.
 *
 * @throws {ConfigError} for any mistake in the options, with a code and a sentence that says what to write
 */
export function createDeliveryContext(options: DeliveryContextOptions): DeliveryContext {
  assertDeliveryContextNames(options);
  const { storage, keys, webhooks, clock = systemClock, onSecurityEvent } = options;
  assertEngine(webhooks.delivery);
  assertListener(onSecurityEvent);
  assertClock(clock);
  const { emit, subscribe } = createSecurityEvents(clock);
  if (onSecurityEvent) subscribe(onSecurityEvent);
  const deliveries = deliveryStore(storage);
  const context = deliveryContext({
    deliveries,
    // Never made at start, not even in development: this reads what another process has encrypted.
    box: createSecretBox(createEncryptionRing(keys.encryption)),
    policy: resolveDeliveryPolicy(webhooks),
    clock,
    emit,
  });
  warnOfMemory(deliveries);
  return context;
}

/** In development too: a worker that never sends is noticed there first, and nothing else would explain it. */
function warnOfMemory(deliveries: DeliveryStore): void {
  if (!(deliveries instanceof MemoryDeliveryStore)) return;
  warn(
    'LATCHHOOK_STORAGE',
    'storage is this process’s memory: a worker finds no delivery in it that another process has published',
  );
}
