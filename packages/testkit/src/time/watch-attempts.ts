import type { MaybePromise } from '@latchhook/core';
import {
  type DeliveryRef,
  type DeliveryStore,
  mapMethods,
  STORE_METHODS,
} from '@latchhook/core/storage';

/** A store of deliveries that counts its pending calls, and the attempts in flight. */
export interface WatchedAttempts {
  /** Answers as the watched store; give it to whatever sends. */
  readonly deliveries: DeliveryStore;
  /** Calls that the store has not answered yet, plus attempts that were claimed and not completed. */
  unsettled(): number;
}

/**
 * Watches the attempts of any worker that uses the store, so that virtual time can stand still while one is on a real
 * socket. Compare with what the receiver holds for equality, as below: an attempt that it keeps waiting can only be
 * ended by time, and one that the sender gave up must have ended at the receiver too.
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
 * time.standStillWhile(() => watched.unsettled() !== receiver.held());
 * ```
 */
export function watchAttempts(deliveries: DeliveryStore): WatchedAttempts {
  const { outbox } = deliveries;
  let calls = 0;
  /** The attempt in flight of each delivery: the next one takes the place of one that was lost with its sender. */
  const inFlight = new Map<string, number>();

  async function counted<Answer>(call: () => MaybePromise<Answer>): Promise<Answer> {
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
              // A sender that was taken for lost says nothing about the attempt that followed.
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
