import type { StorageHarness } from '../storage-harness.ts';
import { Outage } from './expect-faults-noticed.ts';
import { openReference, storesBy } from './reference.ts';

/** A storage that fails after a disturbance, like a client of scripts that cannot handle `NOSCRIPT`. */
export const failsAfterDisturbance: StorageHarness = {
  abilities: ['disturb'],
  open: async ({ clock }) => {
    const reference = openReference(clock);
    let isDisturbed = false;
    const stores = storesBy(async (apply) => {
      if (isDisturbed) throw new Outage('NOSCRIPT');
      return apply(reference);
    });
    return {
      connect: async () => ({ ...reference, ...stores }),
      disturb: async () => {
        isDisturbed = true;
      },
      close: async () => {},
    };
  },
};
