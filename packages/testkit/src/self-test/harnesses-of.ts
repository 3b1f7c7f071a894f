import { type Clock, memoryStorage } from '@latchhook/core';
import type { StorageHarness } from '../storage-harness.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';
import { ABILITIES, IN_PROCESS } from './in-process.ts';
import { readThenWrite, type Transition } from './read-then-write.ts';

/** The reference, and stores with defects that every kind of store may have. */
interface Harnesses<Store, Connection> {
  /** The reference, whose methods can be spread. */
  sound(clock: Clock): Store;
  /** The reference with some broken methods. */
  that(change: (sound: Store, clock: TurnableClock) => Partial<Store>): StorageHarness<Connection>;
  /** A store whose methods are not atomic. */
  readonly readThenWrite: StorageHarness<Connection>;
  /** Each connection has its own store, which others do not see. */
  readonly ofEachConnection: StorageHarness<Connection>;
}

/**
 * @param storeBy - makes a store whose calls are made by a transition.
 * @param connectionTo - makes what a process connects to.
 */
export function harnessesOf<Store extends object, Connection>(
  storeBy: (transition: Transition) => Store,
  connectionTo: (store: Store) => Connection,
): Harnesses<Store, Connection> {
  function sound(clock: Clock): Store {
    const storage = memoryStorage({ clock });
    return storeBy((apply) => apply(storage));
  }

  function opening(storeOf: (clock: TurnableClock) => Store): StorageHarness<Connection> {
    return {
      abilities: ABILITIES,
      open: async ({ clock }) => {
        const connection = connectionTo(storeOf(clock));
        return { connect: async () => connection, ...IN_PROCESS };
      },
    };
  }

  return {
    sound,
    that: (change) =>
      opening((clock) => {
        const reference = sound(clock);
        return { ...reference, ...change(reference, clock) };
      }),
    readThenWrite: opening((clock) => storeBy(readThenWrite(clock))),
    ofEachConnection: {
      abilities: ABILITIES,
      open: async ({ clock }) => ({
        connect: async () => connectionTo(sound(clock)),
        ...IN_PROCESS,
      }),
    },
  };
}
