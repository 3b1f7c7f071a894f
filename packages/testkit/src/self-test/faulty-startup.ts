import { memoryStorage } from '@latchhook/core';
import { ofOneStore, originOf, type StoreStartup } from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';

/** The reference with some faulty methods of `startup`. */
export function faultyStartup(
  change: (sound: StoreStartup, clock: TurnableClock) => Partial<StoreStartup>,
): StorageHarness {
  return {
    open: async ({ clock }) => {
      const storage = memoryStorage({ clock });
      const sound = originOf(storage.sessions)?.startup;
      if (sound === undefined) throw new Error('the reference has no startup');
      const startup: StoreStartup = {
        ping: () => sound.ping(),
        findings: (parts) => sound.findings(parts),
        join: (instance) => sound.join(instance),
        leave: (instanceId) => sound.leave(instanceId),
        ...change(sound, clock),
      };
      const faulty = ofOneStore({ name: 'faulty', startup }, storage);
      return { connect: async () => faulty, close: async () => {} };
    },
  };
}
