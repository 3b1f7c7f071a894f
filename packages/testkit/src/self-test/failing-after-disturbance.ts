import type { StorageHarness } from '../storage-harness.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';
import { Outage } from './expect-faults-noticed.ts';

/** Opens stores that fail after a disturbance, like a client of scripts that cannot handle `NOSCRIPT`. */
export function failingAfterDisturbance<Connection extends object>(
  connectionOf: (clock: TurnableClock) => Connection,
): StorageHarness<Connection> {
  return {
    open: async ({ clock }) => {
      let isDisturbed = false;
      const orFail = (store: unknown) =>
        typeof store !== 'object' || store === null
          ? store
          : new Proxy(store, {
              get: (target, name) => {
                if (isDisturbed) throw new Outage('NOSCRIPT');
                return Reflect.get(target, name);
              },
            });
      const stores = Object.entries(connectionOf(clock)).map(([name, store]) => [
        name,
        orFail(store),
      ]);
      const connection = Object.fromEntries(stores) as Connection;
      return {
        connect: async () => connection,
        disturb: async () => {
          isDisturbed = true;
        },
        close: async () => {},
      };
    },
  };
}
