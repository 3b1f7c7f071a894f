import type { MaybePromise } from '@latchhook/core';
import type {
  AttemptEnd,
  AttemptOutcome,
  ClaimedAttempt,
  ClaimRequest,
  CompleteLimits,
} from '@latchhook/core/storage';
import { sortedByWebhook } from '../actions/webhook-results.ts';
import type { WebhookStores } from '../fixtures/webhook-fixture.ts';
import {
  attemptEnd,
  DELIVERED,
  EXHAUSTED,
  GONE,
  notCounted,
  notStartedEnd,
  retryIn,
} from '../samples/attempt-samples.ts';
import { DAY_MS, MINUTE_MS } from '../samples/login-samples.ts';
import { ACCOUNT_ID, newMessage, POLICY, SECOND_MS } from '../samples/webhook-samples.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';
import { RandomTargets } from './random-targets.ts';
import { EVENTS, registerWebhook, touchWebhook, type WebhookStep } from './random-webhook-steps.ts';
import { claimAll, listAll, nameOf } from './read-all.ts';

/** So low that random steps reach every limit. */
const MESSAGES = {
  maxQueued: 10,
  retentionMs: 2 * DAY_MS,
  idempotencyMs: 30 * MINUTE_MS,
} as const;

const LEASE_MS = 10 * SECOND_MS;

/** Without a cap per account, because the contract leaves open which webhooks go first if an account is at the cap. */
const CLAIMS: Partial<ClaimRequest> = { leaseMs: LEASE_MS, maxInFlightPerWebhook: 3 };

const COMPLETE_LIMITS: CompleteLimits = { disableAfterMs: 120 * MINUTE_MS };

/**
 * The shortest wait, ms. Any three claims are more than 1.2 s apart then, which is a fiftieth of a minute: a store may
 * count attempts together that were claimed within a fiftieth of the rate period.
 */
const SHORTEST_WAIT_MS = 601;

/** The lease of an attempt in flight. */
interface Lease {
  readonly webhookId: string;
  readonly endsAtMs: number;
}

/**
 * Random steps with results that the contracts define: an id is used again only to repeat a command, and no two retries
 * of a webhook are due at the same time, because the contracts leave their order open.
 */
export class RandomWebhookTransitions {
  readonly #targets: RandomTargets;
  readonly #clock: TurnableClock;
  /** When retries are due, ms. */
  readonly #dueAtMs = new Set<number>();
  /** The attempts in flight, by the name of the delivery. */
  readonly #leases = new Map<string, Lease>();
  /** Claimed attempts that may be in flight, by name. Separate for each store, because each has its own sequences. */
  readonly #claimed = new WeakMap<WebhookStores, Map<string, ClaimedAttempt>>();
  readonly #reference: WebhookStores;

  /** @param reference - Only read, so that most steps are about existing webhooks. */
  constructor(seed: number, reference: WebhookStores, clock: TurnableClock) {
    this.#targets = new RandomTargets(seed, reference);
    this.#reference = reference;
    this.#clock = clock;
  }

  async next(): Promise<WebhookStep> {
    const make = this.#targets.pickWeighted<() => MaybePromise<WebhookStep>>([
      [8, () => this.#wait()],
      [2, () => registerWebhook(this.#targets)],
      [4, () => touchWebhook(this.#targets)],
      [10, () => this.#publish()],
      [9, () => this.#claim()],
      [14, () => this.#complete()],
      [4, () => this.#redeliver()],
      [4, () => this.#readWebhook()],
    ]);
    return make();
  }

  #wait(): WebhookStep {
    const window = SECOND_MS + POLICY.rateMarginMs;
    const shortWaitsMs = [
      SHORTEST_WAIT_MS,
      SHORTEST_WAIT_MS,
      SECOND_MS,
      window,
      LEASE_MS,
      LEASE_MS,
    ];
    const ms = this.#targets.pick([...shortWaitsMs, MINUTE_MS, 20 * MINUTE_MS]);
    // A millisecond before something becomes due.
    const isEarly = ms > SHORTEST_WAIT_MS && this.#targets.random() < 0.3;
    return { name: 'wait', ms: isEarly ? ms - 1 : ms };
  }

  async #publish(): Promise<WebhookStep> {
    const targets = this.#targets;
    const { messages } = targets;
    const { webhookId } = await targets.pickWebhook();
    const repeated = targets.random() < 0.1 ? targets.pick(messages.slice(-5)) : undefined;
    const message =
      repeated ??
      newMessage(`m${String(messages.length).padStart(4, '0')}`, {
        event: targets.pick(EVENTS),
        webhookId: targets.random() < 0.1 ? webhookId : null,
        idempotencyKey: targets.random() < 0.2 ? `key ${targets.pick([1, 2, 3])}` : null,
        ...MESSAGES,
      });
    if (repeated === undefined) messages.push(message);
    return {
      name: `publish ${message.messageId}`,
      apply: async ({ deliveries }) => {
        const result = await deliveries.publish(message);
        if (!('expired' in result)) return result;
        return { ...result, expired: sortedByWebhook(result.expired) };
      },
    };
  }

  /** Claims all attempts that may begin: the contract leaves open which webhooks go first. */
  #claim(): WebhookStep {
    const nowMs = this.#clock.nowMs();
    const expiredLeases = [...this.#leases].filter(([, { endsAtMs }]) => endsAtMs <= nowMs);
    if (expiredLeases.length > 0 && !this.#addDueNow()) return this.#wait();
    for (const [name] of expiredLeases) this.#leases.delete(name);
    const webhookIds = expiredLeases.map(([, { webhookId }]) => webhookId);
    // Two stalled attempts of a webhook would be due again at the same time, so both are failed instead.
    const areTied = new Set(webhookIds).size < webhookIds.length;
    const maxStalledAttempts = areTied ? 1 : this.#targets.pick([1, 2, 2]);
    const limit = this.#targets.pick([1, 3, 100]);
    return {
      name: `claim, ${limit} at a time`,
      apply: async (stores) => {
        const claim = await claimAll(stores, { ...CLAIMS, limit, maxStalledAttempts });
        const claimed = this.#claimedOf(stores);
        for (const attempt of claim.attempts) {
          const { webhookId, claimedAtMs } = attempt;
          claimed.set(nameOf(attempt), attempt);
          this.#leases.set(nameOf(attempt), { webhookId, endsAtMs: claimedAtMs + LEASE_MS });
        }
        return claim;
      },
    };
  }

  /** Ends up to three recent attempts. Most of them are in flight. */
  #complete(): WebhookStep {
    const targets = this.#targets;
    const recentNames = [...this.#claimedOf(this.#reference).keys()].slice(-6);
    if (recentNames.length === 0) return this.#claim();
    const names = Array.from({ length: targets.pick([1, 1, 2, 3]) }, () =>
      targets.pick(recentNames),
    );
    const ends = [...new Set(names)].map((name) => ({ name, ...this.#endOf(name) }));
    // Most attempts are completed only once.
    const isLast = targets.random() < 0.8;
    return {
      name: `complete ${ends.map(({ name, how }) => `${name} as ${how}`).join(', ')}`,
      apply: (stores) => {
        const claimed = this.#claimedOf(stores);
        const attemptEnds = ends.flatMap(({ name, end }) => {
          const attempt = claimed.get(name);
          if (isLast) claimed.delete(name);
          return attempt === undefined ? [] : [end(attempt)];
        });
        return stores.deliveries.complete(attemptEnds, COMPLETE_LIMITS);
      },
    };
  }

  #endOf(name: string): { readonly how: string; end(attempt: ClaimedAttempt): AttemptEnd } {
    const targets = this.#targets;
    if (targets.random() < 0.1) {
      const end = (claimed: ClaimedAttempt) =>
        attemptEnd({ ...claimed, attempt: claimed.attempt - 1 }, DELIVERED);
      return { how: 'delivered, by the attempt before', end };
    }
    this.#leases.delete(name);
    if (targets.random() < 0.15) return { how: 'not started', end: notStartedEnd };
    const outcome = targets.pick<AttemptOutcome>([
      DELIVERED,
      DELIVERED,
      retryIn(this.#delay(50)),
      retryIn(this.#delay(20 * SECOND_MS)),
      retryIn(this.#delay(20 * SECOND_MS)),
      notCounted(this.#delay(SECOND_MS)),
      EXHAUSTED,
      targets.pick([GONE, GONE, EXHAUSTED]),
    ]);
    // A receiver that accepts a message asks for no backoff.
    const backoffsMs = outcome.kind === 'delivered' ? [0] : [0, 0, 0, 500, 20 * SECOND_MS];
    const backoffMs = targets.pick(backoffsMs);
    return { how: outcome.kind, end: (attempt) => attemptEnd(attempt, outcome, { backoffMs }) };
  }

  /** A delay of at least `minMs` after which no other retry is due. */
  #delay(minMs: number): number {
    let atMs = this.#clock.nowMs() + minMs;
    while (this.#dueAtMs.has(atMs)) atMs += 1;
    this.#dueAtMs.add(atMs);
    return atMs - this.#clock.nowMs();
  }

  /** Makes the present a due time. Returns false if it already is one, so that the step must wait. */
  #addDueNow(): boolean {
    const nowMs = this.#clock.nowMs();
    if (this.#dueAtMs.has(nowMs)) return false;
    this.#dueAtMs.add(nowMs);
    return true;
  }

  async #redeliver(): Promise<WebhookStep> {
    const ref = await this.#targets.pickDelivery();
    const sinceMs = this.#targets.pick([0, this.#clock.nowMs() - 20 * MINUTE_MS]);
    if (!this.#addDueNow()) return this.#wait();
    return this.#targets.pick<WebhookStep>([
      { name: `redeliver ${nameOf(ref)}`, apply: ({ deliveries }) => deliveries.redeliver(ref) },
      {
        name: `redeliver a failed one of ${ref.webhookId}`,
        apply: ({ deliveries }) => deliveries.redeliverFailed(ref, { sinceMs, limit: 1 }),
      },
    ]);
  }

  async #readWebhook(): Promise<WebhookStep> {
    const ref = await this.#targets.pickWebhook();
    const limit = this.#targets.pick([3, 100]);
    const page = { limit: 100, after: null };
    return this.#targets.pick<WebhookStep>([
      { name: `find ${ref.webhookId}`, apply: ({ webhooks }) => webhooks.find(ref) },
      { name: 'list webhooks', apply: ({ webhooks }) => webhooks.list(ACCOUNT_ID, page) },
      {
        name: `list deliveries to ${ref.webhookId}`,
        apply: (stores) => listAll(stores, ref, limit),
      },
    ]);
  }

  #claimedOf(stores: WebhookStores): Map<string, ClaimedAttempt> {
    const claimed = this.#claimed.get(stores) ?? new Map<string, ClaimedAttempt>();
    this.#claimed.set(stores, claimed);
    return claimed;
  }
}
