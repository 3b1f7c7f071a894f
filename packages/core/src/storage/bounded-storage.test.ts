import { expect, it } from 'vitest';
import type { CallBoundary } from '../faults/call-boundary.ts';
import {
  boundedDeliveries,
  boundedMfa,
  boundedStorage,
  boundedWebhooks,
} from './bounded-storage.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { Limiter, LimiterOptions } from './limiter.ts';
import { mapMethods } from './map-methods.ts';
import { memoryLimiters } from './memory/memory-limiter.ts';
import { memoryStorage } from './memory/memory-storage.ts';
import type { Outbox } from './outbox.ts';
import type { Storage } from './storage.ts';
import { STORE_METHODS } from './store-methods.ts';

/** A storage whose parts are getters and methods of its class: a copy by spread would lose them. */
class ClassStorage implements Storage {
  readonly name = 'a class';
  readonly #memory = memoryStorage();
  readonly #limiters = memoryLimiters();

  get sessions(): Storage['sessions'] {
    return this.#memory.sessions;
  }

  get challenges(): Storage['challenges'] {
    return this.#memory.challenges;
  }

  limiters(options: LimiterOptions): Limiter {
    return this.#limiters(options);
  }
}

it('takes the parts of a storage that is a class', async () => {
  const { sessions, limiters } = boundedStorage(new ClassStorage(), (call) => call());
  expect(await sessions.list('ada')).toEqual([]);
  const limiter = limiters({ keyPrefix: 'logins', duration: 60 });
  expect(await limiter.penalty('ada')).toMatchObject({ consumedPoints: 1 });
});

const REFUSED = new Error('refused by the boundary');
const refuses: CallBoundary = () => Promise.reject(REFUSED);

const outbox: Outbox = {
  publishWithin: () => Promise.reject(new Error('not bounded')),
};

const memory = memoryStorage();
const bounded = boundedStorage(memory, refuses);
const ends = async (): Promise<void> => {};
const store: DeliveryStore = {
  ...mapMethods(memory.deliveries, STORE_METHODS.deliveries, (call) => call()),
  subscribe: () => ends,
  outbox,
};
const deliveries = boundedDeliveries(store, refuses);

it.each<[keyof typeof STORE_METHODS, object | undefined]>([
  ['sessions', bounded.sessions],
  ['challenges', bounded.challenges],
  ['limiters', bounded.limiters({ keyPrefix: 'logins', duration: 60 })],
  ['personalAccessTokens', bounded.personalAccessTokens],
  ['webhooks', boundedWebhooks(memory.webhooks, refuses)],
  ['deliveries', deliveries],
  ['mfa', boundedMfa(memory.mfa, refuses)],
])('bounds every method of %s', async (part, store = {}) => {
  for (const name of Object.keys(STORE_METHODS[part])) {
    await expect(Reflect.get(store, name)({}, {}), name).rejects.toBe(REFUSED);
  }
});

it('has whoever subscribes subscribe to the store', () => {
  expect(deliveries.subscribe?.(() => {})).toBe(ends);
});
