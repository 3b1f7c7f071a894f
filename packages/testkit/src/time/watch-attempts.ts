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
  let calls = 0;
  /** The attempt in flight of each delivery: the next attempt replaces one that was lost with its sender. */
  const inFlight = new Map<string, number>();

  async function counted<Result>(call: () => MaybePromise<Result>): Promise<Result> {
    calls += 1;
    try {
      return await call();
    } finally {
      calls -= 1;
    }
  }

  return {
    unsettled: () => calls + inFlight.size,
    deliveries: {
      ...mapMethods(deliveries, STORE_METHODS.deliveries, counted),
      claim: (request) =>
        counted(async () => {
          const claim = await deliveries.claim(request);
          for (const attempt of claim.attempts) inFlight.set(nameOf(attempt), attempt.attempt);
          for (const delivery of claim.poisoned) inFlight.delete(nameOf(delivery));
          return claim;
        }),
      complete: (ends, limits) =>
        counted(async () => {
          try {
            return await deliveries.complete(ends, limits);
          } finally {
            for (const end of ends) {
              // If this sender was taken for lost, another attempt is in flight, and has not ended.
              if (inFlight.get(nameOf(end)) === end.attempt) inFlight.delete(nameOf(end));
            }
          }
        }),
      ...(deliveries.subscribe && { subscribe: deliveries.subscribe.bind(deliveries) }),
      ...(outbox && { outbox: mapMethods(outbox, STORE_METHODS.outbox, counted) }),
    },
  };
}

function nameOf({ accountId, webhookId, deliveryId }: DeliveryRef): string {
  return JSON.stringify([accountId, webhookId, deliveryId]);
}
