import { serverFault } from '../errors.ts';
import { createCallBoundary } from '../faults/call-boundary.ts';
import { quietFaults } from '../faults/quiet-faults.ts';
import { boundedDeliveries } from '../storage/bounded-storage.ts';
import type { DeliveryContext } from './delivery-engine.ts';
import type { SecretBox } from './secret-box.ts';

/** A delivery context with the box that opens secrets in place of `openSecrets`; `deliveries`, `emit`: not wrapped. */
export interface DeliveryContextDeps extends Omit<DeliveryContext, 'openSecrets'> {
  readonly box: Pick<SecretBox, 'open'>;
}

/** Puts together what an engine needs of the app that it sends for. */
export function deliveryContext(deps: DeliveryContextDeps): DeliveryContext {
  const { box, deliveries, policy, clock } = deps;
  const emit = quietFaults(deps.emit, clock);
  return {
    deliveries: boundedDeliveries(deliveries, createCallBoundary('storage', emit)),
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
