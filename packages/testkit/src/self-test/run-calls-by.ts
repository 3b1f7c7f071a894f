import type { Storage } from '@latchhook/core/storage';
import type { Transition } from './read-then-write.ts';

/**
 * Makes a store whose calls run as transitions.
 *
 * @param storeOf - Returns the store to call of the storage that the transition gets.
 */
export function runCallsBy<Store extends object, Name extends keyof Store>(
  transition: Transition,
  methods: Readonly<Record<Name, true>>,
  storeOf: (storage: Storage) => Store,
): Pick<Store, Name> {
  const calls = Object.keys(methods).map((name) => [
    name,
    (...args: readonly unknown[]) =>
      transition(async (storage) => {
        const store: object = storeOf(storage);
        return Reflect.apply(Reflect.get(store, name), store, args);
      }),
  ]);
  return Object.fromEntries(calls) as Pick<Store, Name>;
}
