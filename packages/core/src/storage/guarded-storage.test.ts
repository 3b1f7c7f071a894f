import { expect, it } from 'vitest';
import type { CallGuard } from '../faults/call-guard.ts';
import type { Claim, ClaimRequest, DeliveryStore } from './delivery-store.ts';
import { guardedDeliveries, guardedStorage, guardedWebhooks } from './guarded-storage.ts';
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

it('guardedStorage() accepts an instance of a class whose getters and methods need `this`', async () => {
  const { sessions, limiters } = guardedStorage(new ClassStorage(), (call) => call());
  expect(await sessions.list('ada')).toEqual([]);
  const limiter = limiters({ keyPrefix: 'logins', duration: 60 });
  expect(await limiter.penalty('ada')).toMatchObject({ consumedPoints: 1 });
});

const REJECTED = new Error('rejected by the guard');
const rejectCall: CallGuard = () => Promise.reject(REJECTED);

const outbox: Outbox = {
  publishWithin: () => Promise.reject(new Error('not guarded')),
};

const memory = memoryStorage();
const guarded = guardedStorage(memory, rejectCall);
const unsubscribe = async (): Promise<void> => {};
const store: DeliveryStore = {
  ...mapMethods(memory.deliveries, STORE_METHODS.deliveries, (call) => call()),
  subscribe: () => unsubscribe,
  outbox,
};
const deliveries = guardedDeliveries(store, rejectCall);

it.each<[keyof typeof STORE_METHODS, object | undefined]>([
  ['sessions', guarded.sessions],
  ['challenges', guarded.challenges],
  ['limiters', guarded.limiters({ keyPrefix: 'logins', duration: 60 })],
  ['personalAccessTokens', guarded.personalAccessTokens],
  ['webhooks', guardedWebhooks(memory.webhooks, rejectCall)],
  ['deliveries', deliveries],
  ['mfa', guarded.mfa],
])('a guarded storage calls every method of %s through its guard', async (part, store = {}) => {
  for (const name of Object.keys(STORE_METHODS[part])) {
    await expect(Reflect.get(store, name)({}, {}), name).rejects.toBe(REJECTED);
  }
});

it('a guarded storage passes attempts to onUnsent if its guard has rejected their claim', async () => {
  const attempts = [{ deliveryId: 'msg_1' }] as unknown as Claim['attempts'];
  const unsent: unknown[] = [];
  let answer = (_: Claim): void => {};
  const claiming = new Promise<Claim>((resolve) => {
    answer = resolve;
  });
  const { claim } = guardedDeliveries({ ...store, claim: () => claiming }, async (call) => {
    void call();
    throw REJECTED;
  });
  const onUnsent = (late: Claim['attempts']) => void unsent.push(...late);
  await expect(claim({ onUnsent } as ClaimRequest)).rejects.toBe(REJECTED);
  answer({ attempts, poisoned: [], nextInMs: null });
  await expect.poll(() => unsent).toEqual(attempts);
});

it('a guarded storage passes subscriptions on to the store', () => {
  expect(deliveries.subscribe?.(() => {})).toBe(unsubscribe);
});
