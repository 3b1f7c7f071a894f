import type { MaybePromise } from '@latchhook/core';
import type {
  AttemptEnd,
  AttemptOutcome,
  ClaimedAttempt,
  ClaimRequest,
  CompleteLimits,
} from '@latchhook/core/storage';
import { DELIVERED, EXHAUSTED, ended, GONE, notStarted, retryIn } from '../actions/claim.ts';
import { byWebhook } from '../actions/register-webhook.ts';
import type { WebhookStores } from '../fixtures/webhook-fixture.ts';
import { DAY_MS, MINUTE_MS } from '../samples/login-samples.ts';
import { ACCOUNT_ID, newMessage, POLICY, SECOND_MS } from '../samples/webhook-samples.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';
import { claimAllOf, listAllOf, nameOf } from './ask-for-all.ts';
import { RandomTargets } from './random-targets.ts';
import { EVENTS, registerWebhook, touchWebhook, type WebhookStep } from './random-webhook-steps.ts';

/** Low, so that random steps reach every limit. */
const MESSAGES = {
  maxQueued: 10,
  retentionMs: 2 * DAY_MS,
  idempotencyMs: 30 * MINUTE_MS,
} as const;

const LEASE_MS = 10 * SECOND_MS;

/** No account is kept waiting: whose webhooks then go first is left open. */
const CLAIMS: Partial<ClaimRequest> = { leaseMs: LEASE_MS, maxInFlightPerWebhook: 3 };

const COMPLETES: CompleteLimits = { disableAfterMs: 120 * MINUTE_MS };

/**
 * The shortest wait, ms. A store may count starts of a fiftieth of the period together, so no three claims come so
 * closely after one another.
 */
const SHORTEST_WAIT_MS = 601;

/** An attempt in flight. */
interface LeaseOf {
  readonly webhookId: string;
  readonly endsAtMs: number;
}

/**
 * Random steps, within what the contracts define: an id comes twice only where a command is sent again, and of one
 * webhook no two retries are due at the same time, as their order is left open.
 */
export class RandomWebhookTransitions {
  readonly #targets: RandomTargets;
  readonly #clock: TurnableClock;
  /** When retries are due, ms. */
  readonly #dueAtMs = new Set<number>();
  /** By the name of the delivery. */
  readonly #leases = new Map<string, LeaseOf>();
  /** Attempts that were claimed and may be in flight, by name. Each store has sequences of its own. */
  readonly #claimed = new WeakMap<WebhookStores, Map<string, ClaimedAttempt>>();
  readonly #known: WebhookStores;

  /** @param known - Only read, so that most steps are about what exists. */
  constructor(seed: number, known: WebhookStores, clock: TurnableClock) {
    this.#targets = new RandomTargets(seed, known);
    this.#known = known;
    this.#clock = clock;
  }

  async next(): Promise<WebhookStep> {
    const makers: readonly [weight: number, make: () => MaybePromise<WebhookStep>][] = [
      [8, () => this.#wait()],
      [2, () => registerWebhook(this.#targets)],
      [4, () => touchWebhook(this.#targets)],
      [10, () => this.#publish()],
      [9, () => this.#claim()],
      [14, () => this.#complete()],
      [4, () => this.#sendAgain()],
      [4, () => this.#look()],
    ];
    return this.#targets.pick(
      makers.flatMap(([weight, make]) => Array.from({ length: weight }, () => make)),
    )();
  }

  #wait(): WebhookStep {
    const window = SECOND_MS + POLICY.rateMarginMs;
    const some = [SHORTEST_WAIT_MS, SHORTEST_WAIT_MS, SECOND_MS, window, LEASE_MS, LEASE_MS];
    const ms = this.#targets.pick([...some, MINUTE_MS, 20 * MINUTE_MS]);
    const isShort = ms > SHORTEST_WAIT_MS && this.#targets.random() < 0.3;
    return { name: 'wait', ms: isShort ? ms - 1 : ms };
  }

  async #publish(): Promise<WebhookStep> {
    const targets = this.#targets;
    const { messages } = targets;
    const { webhookId } = await targets.webhook();
    const again = targets.random() < 0.1 ? targets.pick(messages.slice(-5)) : undefined;
    const message =
      again ??
      newMessage(`m${String(messages.length).padStart(4, '0')}`, {
        event: targets.pick(EVENTS),
        webhookId: targets.random() < 0.1 ? webhookId : null,
        idempotencyKey: targets.random() < 0.2 ? `key ${targets.pick([1, 2, 3])}` : null,
        ...MESSAGES,
      });
    if (again === undefined) messages.push(message);
    return {
      name: `publish ${message.messageId}`,
      apply: async ({ deliveries }) => {
        const answer = await deliveries.publish(message);
        if (!('expired' in answer)) return answer;
        return { ...answer, expired: byWebhook(answer.expired) };
      },
    };
  }

  /** Claims all that may start: which webhooks go first is left open, not what starts of each. */
  #claim(): WebhookStep {
    const nowMs = this.#clock.nowMs();
    const lost = [...this.#leases].filter(([, { endsAtMs }]) => endsAtMs <= nowMs);
    if (lost.length > 0 && !this.#isFirstDueNow()) return this.#wait();
    for (const [name] of lost) this.#leases.delete(name);
    const webhookIds = lost.map(([, { webhookId }]) => webhookId);
    // Two of one webhook would be due at the same time.
    const isTied = new Set(webhookIds).size < webhookIds.length;
    const maxStalledAttempts = isTied ? 1 : this.#targets.pick([1, 2, 2]);
    const limit = this.#targets.pick([1, 3, 100]);
    return {
      name: `claim, ${limit} at a time`,
      apply: async (stores) => {
        const claim = await claimAllOf(stores, { ...CLAIMS, limit, maxStalledAttempts });
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

  /** Ends up to three attempts, most of which are in flight. */
  #complete(): WebhookStep {
    const targets = this.#targets;
    const recent = [...this.#claimedOf(this.#known).keys()].slice(-6);
    if (recent.length === 0) return this.#claim();
    const some = Array.from({ length: targets.pick([1, 1, 2, 3]) }, () => targets.pick(recent));
    const ends = [...new Set(some)].map((name) => ({ name, ...this.#endOf(name) }));
    // Most attempts are ended only once.
    const isLast = targets.random() < 0.8;
    return {
      name: `complete ${ends.map(({ name, how }) => `${name} as ${how}`).join(', ')}`,
      apply: (stores) => {
        const claimed = this.#claimedOf(stores);
        const made = ends.flatMap(({ name, end }) => {
          const attempt = claimed.get(name);
          if (isLast) claimed.delete(name);
          return attempt === undefined ? [] : [end(attempt)];
        });
        return stores.deliveries.complete(made, COMPLETES);
      },
    };
  }

  #endOf(name: string): { readonly how: string; end(attempt: ClaimedAttempt): AttemptEnd } {
    const targets = this.#targets;
    // Now and then an attempt that is over.
    if (targets.random() < 0.1) {
      const end = (of: ClaimedAttempt) => ended({ ...of, attempt: of.attempt - 1 }, DELIVERED);
      return { how: 'delivered, one too early', end };
    }
    this.#leases.delete(name);
    if (targets.random() < 0.15) return { how: 'not started', end: notStarted };
    const outcome = targets.pick<AttemptOutcome>([
      DELIVERED,
      DELIVERED,
      retryIn(this.#delay(50)),
      retryIn(this.#delay(20 * SECOND_MS)),
      retryIn(this.#delay(20 * SECOND_MS)),
      { kind: 'not_counted', delayMs: this.#delay(SECOND_MS) },
      EXHAUSTED,
      targets.pick([GONE, GONE, EXHAUSTED]),
    ]);
    // No receiver that has taken it asks for a pause.
    const pauses = outcome.kind === 'delivered' ? [0] : [0, 0, 0, 500, 20 * SECOND_MS];
    const backoffMs = targets.pick(pauses);
    return { how: outcome.kind, end: (attempt) => ended(attempt, outcome, { backoffMs }) };
  }

  /** At least so many ms, so that nothing else is due then. */
  #delay(leastMs: number): number {
    let atMs = this.#clock.nowMs() + leastMs;
    while (this.#dueAtMs.has(atMs)) atMs += 1;
    this.#dueAtMs.add(atMs);
    return atMs - this.#clock.nowMs();
  }

  /** Whether nothing else is due now: from now on something is. */
  #isFirstDueNow(): boolean {
    const nowMs = this.#clock.nowMs();
    const isFirst = !this.#dueAtMs.has(nowMs);
    this.#dueAtMs.add(nowMs);
    return isFirst;
  }

  async #sendAgain(): Promise<WebhookStep> {
    const ref = await this.#targets.delivery();
    const sinceMs = this.#targets.pick([0, this.#clock.nowMs() - 20 * MINUTE_MS]);
    if (!this.#isFirstDueNow()) return this.#wait();
    return this.#targets.pick<WebhookStep>([
      { name: `redeliver ${nameOf(ref)}`, apply: ({ deliveries }) => deliveries.redeliver(ref) },
      {
        name: `redeliver a failed one of ${ref.webhookId}`,
        apply: ({ deliveries }) => deliveries.redeliverFailed(ref, { sinceMs, limit: 1 }),
      },
    ]);
  }

  async #look(): Promise<WebhookStep> {
    const ref = await this.#targets.webhook();
    const limit = this.#targets.pick([3, 100]);
    const page = { limit: 100, after: null };
    return this.#targets.pick<WebhookStep>([
      { name: `find ${ref.webhookId}`, apply: ({ webhooks }) => webhooks.find(ref) },
      { name: 'list webhooks', apply: ({ webhooks }) => webhooks.list(ACCOUNT_ID, page) },
      {
        name: `list deliveries to ${ref.webhookId}`,
        apply: (stores) => listAllOf(stores, ref, limit),
      },
    ]);
  }

  #claimedOf(stores: WebhookStores): Map<string, ClaimedAttempt> {
    const claimed = this.#claimed.get(stores) ?? new Map<string, ClaimedAttempt>();
    this.#claimed.set(stores, claimed);
    return claimed;
  }
}
