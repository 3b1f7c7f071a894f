import type {
  AttemptEnd,
  Claim,
  ClaimedAttempt,
  ClaimRequest,
  CompletedAttempt,
  ListedDelivery,
  NewMessage,
  PublishedMessage,
} from '@latchhook/core/storage';
import type { WebhookHarness, WebhookStores } from '../fixtures/webhook-fixture.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';
import { deliveriesThat, type SoundStores, soundStores, webhooksThat } from './faulty-webhooks.ts';

/** What a store answers that hands out nothing. */
export const NOTHING_CLAIMED: Claim = { attempts: [], poisoned: [], nextInMs: 1 };

/** Stores derived from the reference, anew for each process that connects. */
export function processesThat(change: (sound: SoundStores) => WebhookStores): WebhookHarness {
  return {
    open: async ({ clock }) => {
      const sound = soundStores(clock);
      return { connect: async () => change(sound), close: async () => {} };
    },
  };
}

/** Publishes another message than it was given. */
export function messagesThat(change: (message: NewMessage) => Partial<NewMessage>): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    publish: (message) => deliveries.publish({ ...message, ...change(message) }),
  }));
}

/** Publishes correctly, but answers something else. */
export function publishedThat(
  change: (answer: PublishedMessage, message: NewMessage) => PublishedMessage,
): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    publish: async (message) => change(await deliveries.publish(message), message),
  }));
}

/** Takes for known what was asked for before under the same name, whatever the answer was. */
export function knownBy(nameOf: (message: NewMessage) => string | null): WebhookHarness {
  return deliveriesThat(({ deliveries }) => {
    const known = new Set<string>();
    return {
      publish: async (message) => {
        const name = nameOf(message);
        const { messageId } = message;
        if (name !== null && known.has(name)) {
          return { outcome: 'duplicate', messageId, deliveries: 1, expired: [] };
        }
        if (name !== null) known.add(name);
        return deliveries.publish(message);
      },
    };
  });
}

/** Claims by another request than it was given. */
export function requestsThat(
  change: (request: ClaimRequest) => Partial<ClaimRequest>,
): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    claim: (request) => deliveries.claim({ ...request, ...change(request) }),
  }));
}

/** Claims correctly, but answers something else. */
export function claimedThat(change: (claim: Claim) => Partial<Claim>): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    claim: async (request) => {
      const claim = await deliveries.claim(request);
      return { ...claim, ...change(claim) };
    },
  }));
}

/** Hands out attempts that say something else. */
export function attemptsThat(
  change: (attempt: ClaimedAttempt) => Partial<ClaimedAttempt>,
): WebhookHarness {
  return claimedThat(({ attempts }) => ({
    attempts: attempts.map((attempt) => ({ ...attempt, ...change(attempt) })),
  }));
}

type Order = (a: ClaimedAttempt, b: ClaimedAttempt, notStarted: ReadonlySet<string>) => number;

/** Hands out what may start in another order. */
export function orderedBy(order: Order): WebhookHarness {
  return deliveriesThat(({ deliveries }) => {
    const kept: ClaimedAttempt[] = [];
    const returned = new Set<string>();
    return {
      claim: async (request) => {
        let claim: Claim;
        do {
          claim = await deliveries.claim({ ...request, limit: 100, maxInFlightPerWebhook: 1_000 });
          kept.push(...claim.attempts);
        } while (claim.nextInMs === 0);
        kept.sort((a, b) => order(a, b, returned));
        const attempts = kept.splice(0, request.limit);
        return { ...claim, attempts, nextInMs: kept.length > 0 ? 0 : claim.nextInMs };
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

/** Ends attempts in another way than it was told. */
export function endsThat(
  change: (end: AttemptEnd, clock: TurnableClock) => AttemptEnd,
): WebhookHarness {
  return deliveriesThat(({ deliveries, clock }) => ({
    complete: (ends, limits) =>
      deliveries.complete(
        ends.map((end) => change(end, clock)),
        limits,
      ),
  }));
}

/** Ends attempts by another fence: what it compares them with is the newest lease of their delivery. */
export function fencedBy(
  change: (end: AttemptEnd, lease: ClaimedAttempt) => Partial<AttemptEnd>,
): WebhookHarness {
  return deliveriesThat(({ deliveries }) => {
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

/** Ends attempts correctly, but answers something else. */
export function completedThat(
  change: (answer: CompletedAttempt, end: AttemptEnd | undefined) => CompletedAttempt,
): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    complete: async (ends, limits) =>
      (await deliveries.complete(ends, limits)).map((answer, i) => change(answer, ends[i])),
  }));
}

/** Disables webhooks after another time. */
export function disablesAfter(
  change: (disableAfterMs: number, ends: readonly AttemptEnd[]) => number,
): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    complete: (ends, limits) => {
      const disableAfterMs = change(limits.disableAfterMs, ends);
      return deliveries.complete(ends, { ...limits, disableAfterMs });
    },
  }));
}

/** Lists deliveries that say something else. */
export function listedThat(
  change: (delivery: ListedDelivery) => Partial<ListedDelivery>,
): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    list: async (ref, page) =>
      (await deliveries.list(ref, page))?.map((each) => ({ ...each, ...change(each) })) ?? null,
  }));
}

/** Forgets nothing of a webhook that is enabled, unless it was disabled. */
export const enablesOnlyDisabled = webhooksThat(({ webhooks }) => ({
  enable: async (ref) => {
    const webhook = await webhooks.find(ref);
    if (webhook?.disabledAtMs !== null) return webhooks.enable(ref);
    return { outcome: 'was_enabled', webhook };
  },
}));
