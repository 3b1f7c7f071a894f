import type {
  AttemptEnd,
  Claim,
  ClaimedAttempt,
  CompletedAttempt,
  ListedDelivery,
  NewMessage,
  Storage,
} from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';
import {
  faultyDeliveries,
  faultyRequests,
  faultyResults,
  faultyWebhooks,
} from './faulty-storage.ts';
import { openReference, type Reference } from './reference.ts';

/** The result of a store that claims nothing although something is due. */
export const NOTHING_CLAIMED: Claim = { attempts: [], poisoned: [], nextInMs: 1 };

/** Stores derived from the reference, separately for each process that connects. */
export function faultyProcesses(
  change: (reference: Reference) => Partial<Storage>,
): StorageHarness {
  return {
    open: async ({ clock }) => {
      const reference = openReference(clock);
      return {
        connect: async () => ({ ...reference, ...change(reference) }),
        close: async () => {},
      };
    },
  };
}

/** Publishes a changed message. */
export function faultyMessages(
  change: (message: NewMessage) => Partial<NewMessage>,
): StorageHarness {
  return faultyRequests('deliveries', 'publish', change);
}

/** Returns `duplicate` for every message whose key was published before, even if that message was not stored. */
export function duplicatesBy(keyOf: (message: NewMessage) => string | null): StorageHarness {
  return faultyDeliveries((deliveries) => {
    const publishedKeys = new Set<string>();
    return {
      publish: async (message) => {
        const key = keyOf(message);
        const { messageId } = message;
        if (key !== null && publishedKeys.has(key)) {
          return { outcome: 'duplicate', messageId, deliveries: 1, expired: [] };
        }
        if (key !== null) publishedKeys.add(key);
        return deliveries.publish(message);
      },
    };
  });
}

/** Claims correctly, but returns a changed claim. */
export function faultyClaims(change: (claim: Claim) => Partial<Claim>): StorageHarness {
  return faultyResults('deliveries', 'claim', (claim) => ({ ...claim, ...change(claim) }));
}

/** Claims correctly, but returns changed attempts. */
export function faultyAttempts(
  change: (attempt: ClaimedAttempt) => Partial<ClaimedAttempt>,
): StorageHarness {
  return faultyClaims(({ attempts }) => ({
    attempts: attempts.map((attempt) => ({ ...attempt, ...change(attempt) })),
  }));
}

/** @param returned - The ids of deliveries that were returned not started. */
type Order = (a: ClaimedAttempt, b: ClaimedAttempt, returned: ReadonlySet<string>) => number;

/** Claims the same attempts in another order. */
export function orderedBy(order: Order): StorageHarness {
  return faultyDeliveries((deliveries) => {
    const waiting: ClaimedAttempt[] = [];
    const returned = new Set<string>();
    return {
      claim: async (request) => {
        let claim: Claim;
        // Takes all that is due. What exceeds the limit of the request waits for the next claim.
        do {
          claim = await deliveries.claim({ ...request, limit: 100, maxInFlightPerWebhook: 1_000 });
          waiting.push(...claim.attempts);
        } while (claim.nextInMs === 0);
        waiting.sort((a, b) => order(a, b, returned));
        const attempts = waiting.splice(0, request.limit);
        return { ...claim, attempts, nextInMs: waiting.length > 0 ? 0 : claim.nextInMs };
      },
      complete: (ends, limits) => {
        for (const { outcome, deliveryId } of ends) {
          if (outcome.kind === 'not_started') returned.add(deliveryId);
        }
        return deliveries.complete(ends, limits);
      },
    };
  });
}

/** Completes attempts with a changed end. */
export function faultyEnds(
  change: (end: AttemptEnd, clock: TurnableClock) => AttemptEnd,
): StorageHarness {
  return faultyDeliveries((deliveries, { clock }) => ({
    complete: (ends, limits) =>
      deliveries.complete(
        ends.map((end) => change(end, clock)),
        limits,
      ),
  }));
}

/** Before completing, changes each end by the newest lease of its delivery, so that fewer ends are stale. */
export function fencedBy(
  change: (end: AttemptEnd, lease: ClaimedAttempt) => Partial<AttemptEnd>,
): StorageHarness {
  return faultyDeliveries((deliveries) => {
    const leases = new Map<string, ClaimedAttempt>();
    return {
      claim: async (request) => {
        const claim = await deliveries.claim(request);
        for (const attempt of claim.attempts) leases.set(attempt.deliveryId, attempt);
        return claim;
      },
      complete: (ends, limits) =>
        deliveries.complete(
          ends.map((end) => {
            const lease = leases.get(end.deliveryId);
            return lease === undefined ? end : ({ ...end, ...change(end, lease) } as AttemptEnd);
          }),
          limits,
        ),
    };
  });
}

/** Completes attempts correctly, but returns changed results. */
export function faultyCompletionResults(
  change: (result: CompletedAttempt, end: AttemptEnd | undefined) => CompletedAttempt,
): StorageHarness {
  return faultyResults('deliveries', 'complete', (result, ends) =>
    result.map((result, i) => change(result, ends[i])),
  );
}

/** Completes attempts with a changed `disableAfterMs`. */
export function faultyDisableAfterMs(
  change: (disableAfterMs: number, ends: readonly AttemptEnd[]) => number,
): StorageHarness {
  return faultyDeliveries((deliveries) => ({
    complete: (ends, limits) => {
      const disableAfterMs = change(limits.disableAfterMs, ends);
      return deliveries.complete(ends, { ...limits, disableAfterMs });
    },
  }));
}

/** Lists changed deliveries. */
export function faultyListEntries(
  change: (delivery: ListedDelivery) => Partial<ListedDelivery>,
): StorageHarness {
  return faultyResults(
    'deliveries',
    'list',
    (listed) => listed?.map((each) => ({ ...each, ...change(each) })) ?? null,
  );
}

/** Ignores `enable` of a webhook that is not disabled, so that the backoff and the time without success go on. */
export const enablesOnlyDisabled = faultyWebhooks((webhooks) => ({
  enable: async (ref) => {
    const webhook = await webhooks.find(ref);
    if (webhook?.disabledAtMs !== null) return webhooks.enable(ref);
    return { outcome: 'already_enabled', webhook };
  },
}));
