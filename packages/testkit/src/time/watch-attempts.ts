import type { MaybePromise } from '@latchhook/core';
import {
  type DeliveryRef,
  type DeliveryStore,
  mapMethods,
  STORE_METHODS,
} from '@latchhook/core/storage';

/** A store of deliveries that counts its pending calls, and the attempts in flight. */
export interface WatchedAttempts {
  /** The watched store, for the worker. */
  readonly deliveries: DeliveryStore;
  /** How many calls of the store are pending, plus how many attempts are claimed and not completed. */
  unsettled(): number;
}

/**
 * Watches the attempts of any worker that uses the store, so that virtual time can be held while an attempt is on a
 * real socket. Compare `unsettled()` with `held()` of the receiver, as below. While both are equal, every attempt waits
 * at the receiver, and only time can end it. While they differ, an attempt is in progress at one end.
 *
 * @example
 * ```ts
 * import type { DeliveryStore } from '@latchhook/core/storage';
 * import { startFakeReceiver, virtualTime, watchAttempts } from '@latchhook/testkit';
 *
 * declare const deliveries: DeliveryStore; // of a storage that takes its time from `time.clock`
 *
 * const time = virtualTime();
 * const receiver = await startFakeReceiver({ timers: time.timers });
 * const watched = watchAttempts(deliveries);
 * time.holdWhile(() => watched.unsettled() !== receiver.held());
 * ```
 */
export function watchAttempts(deliveries: DeliveryStore): WatchedAttempts {
  const { outbox } = deliveries;
  let pendingCalls = 0;
  /** The number of the attempt in flight of each delivery. If a sender dies, the next attempt replaces its attempt. */
  const inFlight = new Map<string, number>();

  async function countCall<Result>(call: () => MaybePromise<Result>): Promise<Result> {
    pendingCalls += 1;
    try {
      return await call();
    } finally {
      pendingCalls -= 1;
    }
  }

  return {
    unsettled: () => pendingCalls + inFlight.size,
    deliveries: {
      ...mapMethods(deliveries, STORE_METHODS.deliveries, countCall),
      claim: (request) =>
        countCall(async () => {
          const claim = await deliveries.claim(request);
          for (const attempt of claim.attempts) inFlight.set(keyOf(attempt), attempt.attempt);
          for (const delivery of claim.poisoned) inFlight.delete(keyOf(delivery));
          return claim;
        }),
      complete: (ends, limits) =>
        countCall(async () => {
          try {
            return await deliveries.complete(ends, limits);
          } finally {
            // Even if the call fails: the sender is done, and only time (the expiry of the lease) moves the attempt on.
            for (const end of ends) {
              // If the lease of this attempt expired, a later attempt is in flight, and has not ended.
              if (inFlight.get(keyOf(end)) === end.attempt) inFlight.delete(keyOf(end));
            }
          }
        }),
      ...(deliveries.subscribe && { subscribe: deliveries.subscribe.bind(deliveries) }),
      ...(outbox && { outbox: mapMethods(outbox, STORE_METHODS.outbox, countCall) }),
    },
  };
}

function keyOf({ accountId, webhookId, deliveryId }: DeliveryRef): string {
  return JSON.stringify([accountId, webhookId, deliveryId]);
}
