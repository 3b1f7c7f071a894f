import { memoryStorage } from '@latchhook/core';
import { type DeliveryStore, STORE_METHODS, type Storage } from '@latchhook/core/storage';
import type { OpenStorage, StorageHarness } from '../storage-harness.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';
import { readThenWrite, type Transition } from './read-then-write.ts';

type Stores = Required<Omit<Storage, 'name' | 'limiters'>>;

export type StoreName = keyof Stores;

/** The reference. Its stores are objects whose methods a spread copies. */
export interface Reference extends Required<Storage> {
  readonly clock: TurnableClock;
}

export function openReference(clock: TurnableClock): Reference {
  const storage = memoryStorage({ clock });
  const stores = storesBy((apply) => apply(storage));
  const { name, limiters, deliveries } = storage;
  const subscribe: DeliveryStore['subscribe'] = (onDue) =>
    deliveries.subscribe?.(onDue) ?? (async () => {});
  return { name, limiters, clock, ...stores, deliveries: { ...stores.deliveries, subscribe } };
}

/** Stores whose calls run as transitions. */
export function storesBy(transition: Transition): Stores {
  const storeBy = <Name extends StoreName>(name: Name): Stores[Name] => {
    const calls = Object.keys(STORE_METHODS[name]).map((method) => [
      method,
      (...args: readonly unknown[]) =>
        transition(async (storage) => {
          const store: object = storage[name];
          return Reflect.apply(Reflect.get(store, method), store, args);
        }),
    ]);
    return Object.fromEntries(calls) as Stores[Name];
  };
  return {
    sessions: storeBy('sessions'),
    challenges: storeBy('challenges'),
    webhooks: storeBy('webhooks'),
    deliveries: storeBy('deliveries'),
    personalAccessTokens: storeBy('personalAccessTokens'),
    mfa: storeBy('mfa'),
  };
}

/** Opens storages in this process, which no disturbance affects and which have nothing at rest. */
export function inProcess(open: (clock: TurnableClock) => OpenStorage['connect']): StorageHarness {
  return {
    abilities: ['disturb', 'dump'],
    open: async ({ clock }) => ({
      connect: open(clock),
      disturb: async () => {},
      dump: async () => '',
      close: async () => {},
    }),
  };
}

export const reference: StorageHarness = inProcess((clock) => {
  const storage = openReference(clock);
  return () => storage;
});

/** Each connection has its own data, which other connections do not see. */
export const unshared: StorageHarness = inProcess((clock) => () => openReference(clock));

/** A storage whose methods are not atomic. */
export const nonAtomic: StorageHarness = inProcess((clock) => {
  const storage = { name: 'read, then write', ...storesBy(readThenWrite(clock)) };
  return () => storage;
});
