import { serverFault } from '../../errors.ts';
import { createCallGuard } from '../../faults/call-guard.ts';
import { emitFaultOf } from '../../faults/emit-fault-of.ts';
import { throttleRepeatedErrors } from '../../faults/throttle-repeated-errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import type { DeliveryStore } from '../../storage/delivery-store.ts';
import { guardedDeliveries } from '../../storage/guarded-storage.ts';
import type { EncryptedSecret, WebhookRef } from '../../storage/webhook-store.ts';
import type { WebhookSecretCipher } from '../secrets/webhook-secret-cipher.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';

/** The parts of an app that a worker needs. */
export interface DeliveryContext {
  /** Guarded: a call that fails or times out rejects with `temporarily_unavailable`, after its fault was emitted. */
  readonly deliveries: DeliveryStore;
  /**
   * Decrypts the signing secrets of a webhook, newest first. Decrypted secrets are cached, so it can be called at every
   * attempt.
   *
   * @throws {AuthError} `server_error` if no key decrypts one of them for this webhook
   */
  decryptSecrets(ref: WebhookRef, secrets: readonly EncryptedSecret[]): readonly Uint8Array[];
  readonly policy: DeliveryPolicy;
  readonly clock: Clock;
  /** Emits the same fault only once a minute, because an outage fails every attempt. */
  readonly emit: (event: SecurityEvent) => void;
}

export interface DeliveryContextDeps {
  /** Unguarded: its calls are guarded here. */
  readonly deliveries: DeliveryStore;
  readonly cipher: Pick<WebhookSecretCipher, 'decrypt'>;
  readonly policy: DeliveryPolicy;
  readonly clock: Clock;
  /** Called with the same fault at most once a minute. */
  readonly emit: (event: SecurityEvent) => void;
}

/** Creates the context of a worker. */
export function deliveryContext(deps: DeliveryContextDeps): DeliveryContext {
  const { cipher, deliveries, policy, clock } = deps;
  const emit = throttleRepeatedErrors(deps.emit, clock);
  // Faults are emitted here because a worker retries failed calls and does not emit the errors of the guard.
  const callStorage = createCallGuard('storage', {
    onFault: (rejection) => emitFaultOf(rejection, emit),
  });
  return {
    deliveries: guardedDeliveries(deliveries, callStorage),
    policy,
    clock,
    emit,
    decryptSecrets: (ref, secrets) =>
      secrets.map(({ encrypted }) => {
        const secret = cipher.decrypt(ref, encrypted);
        if (secret !== null) return secret;
        throw serverFault({
          reason: `no key of keys.encryption decrypts a secret of webhook ${ref.webhookId}`,
        });
      }),
  };
}
