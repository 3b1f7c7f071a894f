import type { DeliveryContextOptions } from './delivery-context-options.ts';
import { assertClock } from './options/assert-host-parts.ts';
import { assertOneStore } from './options/assert-one-store.ts';
import { createEncryptionRing } from './options/encryption-ring.ts';
import { assertDeliveryContextNames } from './options/option-names.ts';
import { resolveDeliveryPolicy } from './options/resolve-webhooks.ts';
import { requireDeliveryStore } from './options/webhook-stores.ts';
import { assertListener } from './ports/assert-listener.ts';
import { systemClock } from './ports/clock.ts';
import { createSecurityEvents } from './ports/security-event-emitter.ts';
import type { DeliveryStore } from './storage/delivery-store.ts';
import { originOf } from './storage/store-origin.ts';
import { warn } from './warning.ts';
import { type DeliveryContext, deliveryContext } from './webhooks/deliveries/delivery-context.ts';
import { createWebhookSecretCipher } from './webhooks/secrets/webhook-secret-cipher.ts';

/**
 * Creates the parts of the app that a worker needs, for a process that only sends: see `createDeliveryWorker` of
 * `@latchhook/delivery`.
 *
 * @param caller - the function that the integrator calls, for the messages of errors
 * @throws {ConfigError} for any mistake in the options, with a code and a sentence that says what to write
 */
export function createDeliveryContext(
  options: DeliveryContextOptions,
  caller: string = 'createDeliveryContext',
): DeliveryContext {
  assertDeliveryContextNames(caller, options);
  const { storage, keys, webhooks = {}, clock = systemClock, onSecurityEvent } = options;
  if (onSecurityEvent !== undefined) assertListener('onSecurityEvent', onSecurityEvent);
  assertClock(clock);
  const { emit, subscribe } = createSecurityEvents(clock);
  if (onSecurityEvent) subscribe(onSecurityEvent);
  const deliveries = requireDeliveryStore(storage);
  assertOneStore(storage);
  const context = deliveryContext({
    deliveries,
    // Never generated, not even in development: another process has encrypted the secrets.
    cipher: createWebhookSecretCipher(createEncryptionRing(keys.encryption)),
    policy: resolveDeliveryPolicy(webhooks),
    clock,
    emit,
  });
  warnOfMemory(deliveries);
  return context;
}

/** Warns in development too, where the integrator first notices a worker that never sends. */
function warnOfMemory(deliveries: DeliveryStore): void {
  if (originOf(deliveries)?.name !== 'memory') return;
  warn(
    'LATCHHOOK_STORAGE',
    "storage is this process's memory: a worker finds no delivery in it that another process has published",
  );
}
