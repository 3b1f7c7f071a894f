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

/** What a worker needs of the app that it sends for. */
export interface DeliveryContext {
  /** Bounded: a call that fails rejects with `temporarily_unavailable`, and its fault has been emitted. */
  readonly deliveries: DeliveryStore;
  /**
   * The signing secrets of a webhook in the clear, newest first. Decrypted secrets are cached, so it can be called
   * at every attempt.
   *
   * @throws {AuthError} `server_error` if no key decrypts one of them for this webhook
   */
  decryptSecrets(ref: WebhookRef, secrets: readonly EncryptedSecret[]): readonly Uint8Array[];
  readonly policy: DeliveryPolicy;
  readonly clock: Clock;
  /** Passes the same fault on only once a minute: an outage fails every attempt, again and again. */
  readonly emit: (event: SecurityEvent) => void;
}

export interface DeliveryContextDeps {
  /** Calls of it are bounded here. */
  readonly deliveries: DeliveryStore;
  readonly cipher: Pick<WebhookSecretCipher, 'decrypt'>;
  readonly policy: DeliveryPolicy;
  readonly clock: Clock;
  /** Called with the same fault once a minute at most. */
  readonly emit: (event: SecurityEvent) => void;
}

/** Puts together what a worker needs of the app that it sends for. */
export function deliveryContext(deps: DeliveryContextDeps): DeliveryContext {
  const { cipher, deliveries, policy, clock } = deps;
  const emit = throttleRepeatedErrors(deps.emit, clock);
  // A worker repeats what failed, and reports no rejection of ours.
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
