import { serverFault } from '../../errors.ts';
import { createCallBoundary } from '../../faults/call-boundary.ts';
import { emitFaultOf } from '../../faults/emit-fault-of.ts';
import { throttleRepeatedErrors } from '../../faults/throttle-repeated-errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import { boundedDeliveries } from '../../storage/bounded-storage.ts';
import type { DeliveryStore } from '../../storage/delivery-store.ts';
import type { SealedSecret, WebhookRef } from '../../storage/webhook-store.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';

/** What a worker needs of the app that it sends for. */
export interface DeliveryContext {
  /** Bounded: a call that fails rejects with `temporarily_unavailable`, and its fault has been emitted. */
  readonly deliveries: DeliveryStore;
  /**
   * The signing secrets of a webhook in the clear, newest first. Opened ones are remembered, so it may be called at
   * every attempt.
   *
   * @throws {AuthError} `server_error` where none of the keys opens one for this webhook
   */
  openSecrets(ref: WebhookRef, secrets: readonly SealedSecret[]): readonly Uint8Array[];
  readonly policy: DeliveryPolicy;
  readonly clock: Clock;
  /** Passes the same fault on only once a minute: an outage fails every attempt, again and again. */
  readonly emit: (event: SecurityEvent) => void;
}

export interface DeliveryContextDeps {
  /** Calls of it are bounded here. */
  readonly deliveries: DeliveryStore;
  readonly box: Pick<SecretBox, 'open'>;
  readonly policy: DeliveryPolicy;
  readonly clock: Clock;
  /** Called with the same fault once a minute at most. */
  readonly emit: (event: SecurityEvent) => void;
}

/** Puts together what a worker needs of the app that it sends for. */
export function deliveryContext(deps: DeliveryContextDeps): DeliveryContext {
  const { box, deliveries, policy, clock } = deps;
  const emit = throttleRepeatedErrors(deps.emit, clock);
  // A worker repeats what failed, and reports no refusal of ours.
  const callStorage = createCallBoundary('storage', {
    onFault: (refusal) => emitFaultOf(refusal, emit),
  });
  return {
    deliveries: boundedDeliveries(deliveries, callStorage),
    policy,
    clock,
    emit,
    openSecrets: (ref, secrets) =>
      secrets.map(({ sealed }) => {
        const secret = box.open(ref, sealed);
        if (secret !== null) return secret;
        throw serverFault({
          reason: `no key of keys.encryption opens a secret of webhook ${ref.webhookId}`,
        });
      }),
  };
}
