import { type Clock, memoryStorage } from '@latchhook/core';
import type { TurnableClock } from '../time/turnable-clock.ts';
import { readThenWrite, type Transition } from './read-then-write.ts';

/** A harness for the suites of one store. */
interface Harness<Connection> {
  open(settings: { readonly clock: TurnableClock }): Promise<{
    connect(): Promise<Connection>;
    close(): Promise<void>;
  }>;
}

/** The reference, and stores with defects that every kind of store may have. */
interface Harnesses<Store, Connection> {
  /** The reference, whose methods can be spread. */
  sound(clock: Clock): Store;
  /** The reference with some broken methods. */
  that(change: (sound: Store, clock: TurnableClock) => Partial<Store>): Harness<Connection>;
  /** A store whose methods are not atomic. */
  readonly readThenWrite: Harness<Connection>;
  /** Each connection has a store of its own, which others do not see. */
  readonly ofEachConnection: Harness<Connection>;
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

  function opening(storeOf: (clock: TurnableClock) => Store): Harness<Connection> {
    return {
      open: async ({ clock }) => {
        const connection = connectionTo(storeOf(clock));
        return { connect: async () => connection, close: async () => {} };
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
      open: async ({ clock }) => ({
        connect: async () => connectionTo(sound(clock)),
        close: async () => {},
      }),
    },
  };
}
