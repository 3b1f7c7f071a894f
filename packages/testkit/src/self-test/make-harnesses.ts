import { type Clock, memoryStorage } from '@latchhook/core';
import type { StorageHarness } from '../storage-harness.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';
import { ABILITIES, IN_PROCESS } from './in-process.ts';
import { readThenWrite, type Transition } from './read-then-write.ts';

/** The reference, and stores with faults that every kind of store may have. */
interface Harnesses<Store, Connection> {
  /** The reference as an object whose methods a spread copies. */
  openReference(clock: Clock): Store;
  /** The reference with some faulty methods. */
  faulty(
    change: (reference: Store, clock: TurnableClock) => Partial<Store>,
  ): StorageHarness<Connection>;
  /** A store whose methods are not atomic. */
  readonly readThenWrite: StorageHarness<Connection>;
  /** Each connection has its own store, which other connections do not see. */
  readonly unshared: StorageHarness<Connection>;
}

/**
 * @param makeStore - Makes a store whose calls run as transitions.
 * @param connectionTo - Makes the object that a harness returns from `connect`.
 */
export function makeHarnesses<Store extends object, Connection>(
  makeStore: (transition: Transition) => Store,
  connectionTo: (store: Store) => Connection,
): Harnesses<Store, Connection> {
  function openReference(clock: Clock): Store {
    const storage = memoryStorage({ clock });
    return makeStore((apply) => apply(storage));
  }

  function harnessWith(storeOf: (clock: TurnableClock) => Store): StorageHarness<Connection> {
    return {
      abilities: ABILITIES,
      open: async ({ clock }) => {
        const connection = connectionTo(storeOf(clock));
        return { connect: async () => connection, ...IN_PROCESS };
      },
    };
  }

  return {
    openReference,
    faulty: (change) =>
      harnessWith((clock) => {
        const reference = openReference(clock);
        return { ...reference, ...change(reference, clock) };
      }),
    readThenWrite: harnessWith((clock) => makeStore(readThenWrite(clock))),
    unshared: {
      abilities: ABILITIES,
      open: async ({ clock }) => ({
        connect: async () => connectionTo(openReference(clock)),
        ...IN_PROCESS,
      }),
    },
  };
}
