import { memoryStorage } from '@latchhook/core';
import { ofOneStore, originOf, type StoreStartup } from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';

/** The reference as one store with a `startup`. */
export const referenceStartup: StorageHarness = faultyStartup(() => ({}));

/** The reference with some faulty methods of `startup`. */
export function faultyStartup(
  change: (reference: StoreStartup, clock: TurnableClock) => Partial<StoreStartup>,
): StorageHarness {
  return {
    open: async ({ clock }) => {
      const storage = memoryStorage({ clock });
      const reference = originOf(storage.sessions)?.startup;
      if (reference === undefined) throw new Error('the reference has no startup');
      const startup: StoreStartup = {
        ping: () => reference.ping(),
        findings: (parts) => reference.findings(parts),
        join: (instance) => reference.join(instance),
        leave: (instanceId) => reference.leave(instanceId),
        ...change(reference, clock),
      };
      const faulty = ofOneStore({ name: 'faulty', startup }, storage);
      return { connect: async () => faulty, close: async () => {} };
    },
  };
}
