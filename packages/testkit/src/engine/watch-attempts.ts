import type { Awaitable } from '@latchhook/core';
import {
  type DeliveryRef,
  type DeliveryStore,
  mapMethods,
  STORE_METHODS,
  type StartOutcome,
} from '@latchhook/core/storage';

/** A delivery store that counts its pending calls, and the attempts in flight. */
export interface WatchedAttempts {
  /** Answers as the watched store; give it to whatever sends. */
  readonly deliveries: DeliveryStore;
  /** How many attempts have started and not finished. */
  inFlight(): number;
  /** Calls that the store has not answered yet, plus attempts in flight. */
  unsettled(): number;
}

/**
 * Watches the attempts of any engine that uses the store, so that virtual time can stand still while one is on a real
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
  /** The run of each delivery with an attempt in flight. */
  const inFlight = new Map<string, number>();

  async function counted<Answer>(call: () => Awaitable<Answer>): Promise<Answer> {
    calls += 1;
    try {
      return await call();
    } finally {
      calls -= 1;
    }
  }

  return {
    inFlight: () => inFlight.size,
    unsettled: () => calls + inFlight.size,
    deliveries: {
      ...mapMethods(deliveries, STORE_METHODS.deliveries, counted),
      start: (request) =>
        counted(async () => {
          const answer = await deliveries.start(request);
          // By delivery: if an attempt was lost with its sender, the next one takes its place.
          const name = nameOf(request);
          if (answer.outcome === 'started') inFlight.set(name, request.run);
          // It was withdrawn, or lost, or its webhook is gone. The answer to an earlier run says nothing about this
          // one.
          else if (!isSending(answer) && request.run >= (inFlight.get(name) ?? 0))
            inFlight.delete(name);
          return answer;
        }),
      finish: (request) =>
        counted(async () => {
          try {
            return await deliveries.finish(request);
          } finally {
            inFlight.delete(nameOf(request));
          }
        }),
      ...(outbox && {
        outbox: {
          ...mapMethods(outbox, STORE_METHODS.outbox, counted),
          watch: (onCommit: () => void) => outbox.watch(onCommit),
        },
      }),
    },
  };
}

function isSending(answer: StartOutcome): boolean {
  return answer.outcome === 'deferred' && answer.reason === 'sending';
}

function nameOf({ accountId, webhookId, deliveryId }: DeliveryRef): string {
  return JSON.stringify([accountId, webhookId, deliveryId]);
}
