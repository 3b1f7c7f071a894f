import { serverFault } from '../errors.ts';
import type { DeliveryContext } from './delivery-engine.ts';
import type { SecretBox } from './secret-box.ts';

/** What an engine is told, but for the secrets, and what opens these. */
export interface ContextParts extends Omit<DeliveryContext, 'openSecrets'> {
  readonly box: Pick<SecretBox, 'open'>;
}

/** Puts together what an engine needs of the app that it sends for. */
export function deliveryContext({ box, ...parts }: ContextParts): DeliveryContext {
  return {
    ...parts,
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
