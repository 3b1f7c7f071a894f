import type { Awaitable } from '@latchhook/core';
import type { DeliveryRef, Verdict } from '@latchhook/core/storage';
import { DAY_MS, MINUTE_MS } from '../samples/login-samples.ts';
import {
  ACCOUNT_ID,
  DELIVERED,
  EXHAUSTED,
  excusedFor,
  finishing,
  GONE,
  newMessage,
  POLICY,
  retryAfter,
  SECOND_MS,
  starting,
} from '../samples/webhook-samples.ts';
import type { WebhookStores } from '../trials/webhook-trial.ts';
import { RandomTargets } from './random-targets.ts';
import { EVENTS, registerWebhook, touchWebhook, type WebhookStep } from './random-webhook-steps.ts';

/** Low, so that random steps reach every limit. */
const LIMITS = {
  maxQueued: 10,
  maxInFlight: 3,
  leaseMs: 10 * SECOND_MS,
  retentionMs: 2 * DAY_MS,
  idempotencyMs: 30 * MINUTE_MS,
  disableAfterMs: 120 * MINUTE_MS,
} as const;

/** Random steps, within what the contracts define: an id comes twice only where a command is sent again. */
export class RandomWebhookTransitions {
  readonly #targets: RandomTargets;
  /** By delivery, as far as answers say: the run that an engine would ask for, and then the attempt in flight. */
  readonly #runs = new Map<string, number>();
  readonly #inFlight = new Map<string, InFlightAttempt>();

  /** @param known - Only read, so that most steps are about what exists. */
  constructor(seed: number, known: WebhookStores) {
    this.#targets = new RandomTargets(seed, known);
  }

  async next(): Promise<WebhookStep> {
    const makers: readonly [weight: number, make: () => Awaitable<WebhookStep>][] = [
      [5, () => this.#wait()],
      [2, () => registerWebhook(this.#targets)],
      [4, () => touchWebhook(this.#targets)],
      [5, () => this.#publish()],
      [18, () => this.#start()],
      [3, () => this.#startTooLate()],
      [11, () => this.#finish()],
      [5, () => this.#sendAgain()],
      [3, () => this.#look()],
      [1, () => this.#reschedule()],
    ];
    return this.#targets.pick(
      makers.flatMap(([weight, make]) => Array.from({ length: weight }, () => make)),
    )();
  }

  #wait(): WebhookStep {
    const ms = this.#targets.pick([
      1,
      100,
      100,
      SECOND_MS,
      SECOND_MS + POLICY.rateMarginMs,
      LIMITS.leaseMs,
      LIMITS.leaseMs,
      MINUTE_MS,
      20 * MINUTE_MS,
    ]);
    return { name: 'wait', ms: ms - this.#targets.pick([0, 0, 1]) };
  }

  async #publish(): Promise<WebhookStep> {
    const { webhookId } = await this.#targets.webhook();
    const again =
      this.#targets.random() < 0.1
        ? this.#targets.pick(this.#targets.messages.slice(-5))
        : undefined;
    const { maxQueued, retentionMs, idempotencyMs } = LIMITS;
    const message =
      again ??
      newMessage(`m${this.#targets.messages.length}`, {
        event: this.#targets.pick(EVENTS),
        webhookId: this.#targets.random() < 0.1 ? webhookId : null,
        idempotencyKey:
          this.#targets.random() < 0.2 ? `key ${this.#targets.pick([1, 2, 3])}` : null,
        maxQueued,
        retentionMs,
        idempotencyMs,
      });
    if (again === undefined) this.#targets.messages.push(message);
    return {
      name: `publish ${message.messageId}`,
      apply: ({ deliveries }) => deliveries.publish(message),
    };
  }

  async #start(): Promise<WebhookStep> {
    return this.#startOf(await this.#targets.delivery(), null);
  }

  /** Withdraws an attempt: mostly one that is in flight. */
  async #startTooLate(): Promise<WebhookStep> {
    const inFlight = [...this.#inFlight.values()].slice(-3);
    if (inFlight.length === 0) return this.#startOf(await this.#targets.delivery(), 1);
    const { ref, startedAtMs } = this.#targets.pick(inFlight);
    return this.#startOf(ref, startedAtMs);
  }

  #startOf(ref: DeliveryRef, withdrawnStartAtMs: number | null): WebhookStep {
    const { maxInFlight, leaseMs } = LIMITS;
    const maxLostAttempts = this.#targets.pick([1, 2, 2]);
    const run = (this.#runs.get(nameOf(ref)) ?? 1) - (this.#targets.random() < 0.05 ? 1 : 0);
    const limits = { maxInFlight, maxLostAttempts, leaseMs };
    const request = starting({ ...ref, run }, { ...limits, withdrawnStartAtMs });
    return {
      name: `start ${nameOf(ref)}, run ${run}${withdrawnStartAtMs === null ? '' : ', withdrawing'}`,
      apply: async ({ deliveries }) => {
        const answer = await deliveries.start(request);
        if (answer.outcome === 'started') {
          const { attempt, startedAtMs } = answer;
          this.#inFlight.set(nameOf(ref), { ref, attempt, startedAtMs });
        }
        return answer;
      },
    };
  }

  async #finish(): Promise<WebhookStep> {
    const recent = [...this.#inFlight.values()].slice(-3);
    const { ref, attempt } =
      recent.length > 0
        ? this.#targets.pick(recent)
        : { ref: await this.#targets.delivery(), attempt: 1 };
    // Most attempts are ended only once.
    if (this.#targets.random() < 0.8) this.#inFlight.delete(nameOf(ref));
    const verdict = this.#targets.pick<Verdict>([
      DELIVERED,
      DELIVERED,
      retryAfter(50),
      retryAfter(20 * SECOND_MS),
      retryAfter(20 * SECOND_MS),
      excusedFor(1_000),
      EXHAUSTED,
      this.#targets.pick([GONE, GONE, EXHAUSTED]),
    ]);
    const number = attempt - (this.#targets.random() < 0.1 ? 1 : 0);
    const { disableAfterMs, maxInFlight } = LIMITS;
    const pauseMs = this.#targets.pick([0, 0, 0, 0, 500, 20 * SECOND_MS]);
    const limits = { disableAfterMs, maxInFlight, pauseMs };
    return {
      name: `finish ${number} of ${nameOf(ref)} as ${verdict.kind}`,
      apply: ({ deliveries }) => deliveries.finish(finishing(ref, number, verdict, limits)),
    };
  }

  async #sendAgain(): Promise<WebhookStep> {
    const ref = await this.#targets.delivery();
    const limit = this.#targets.pick([1, 2, 10]);
    return this.#targets.pick<WebhookStep>([
      { name: `resend ${nameOf(ref)}`, apply: ({ deliveries }) => deliveries.resend(ref) },
      {
        name: `recover ${limit} of ${ref.webhookId}`,
        apply: ({ deliveries }) => deliveries.recover(ref, { sinceMs: 0, limit }),
      },
      {
        name: `release ${limit} of ${ref.webhookId}`,
        apply: ({ deliveries }) => deliveries.release(ref, { limit }),
      },
    ]);
  }

  async #look(): Promise<WebhookStep> {
    const ref = await this.#targets.delivery();
    const page = { limit: 100, after: null };
    return this.#targets.pick<WebhookStep>([
      { name: `find ${ref.webhookId}`, apply: ({ webhooks }) => webhooks.find(ref) },
      { name: 'list webhooks', apply: ({ webhooks }) => webhooks.list(ACCOUNT_ID, page) },
      { name: `find ${nameOf(ref)}`, apply: ({ deliveries }) => deliveries.find(ref) },
      {
        name: `list deliveries to ${ref.webhookId}`,
        apply: ({ deliveries }) => deliveries.list(ref, page),
      },
      { name: 'count', apply: ({ deliveries }) => deliveries.countPending() },
      { name: 'measure the lag', apply: ({ deliveries }) => deliveries.lagMs() },
      { name: 'look for what is lost', apply: lookForOverdue },
      { name: 'look for what is held', apply: lookForUnreleased },
    ]);
  }

  async #reschedule(): Promise<WebhookStep> {
    const ref = await this.#targets.webhook();
    const { maxInFlight, leaseMs } = LIMITS;
    const limits = { rateMarginMs: POLICY.rateMarginMs, maxInFlight, leaseMs };
    const page = { limit: this.#targets.pick([2, 100]), after: null };
    return {
      name: `reschedule ${page.limit} of ${ref.webhookId}`,
      apply: ({ deliveries }) => deliveries.reschedule(ref, { ...limits, ...page }),
    };
  }

  /** Takes the runs from an answer, as an engine does. */
  learn(answer: unknown): void {
    for (const scheduled of scheduledIn(answer)) this.#runs.set(nameOf(scheduled), scheduled.run);
  }
}

/** Drops the answer, as it depends on when each is scheduled, which the contract leaves open. */
async function lookForOverdue({ deliveries }: WebhookStores): Promise<void> {
  await deliveries.overdue({ graceMs: 0, limit: 1_000, putOffMs: MINUTE_MS });
}

/** In whichever order. */
async function lookForUnreleased({ deliveries }: WebhookStores): Promise<readonly string[]> {
  const found = await deliveries.unreleased({ limit: 1_000 });
  return found.map(({ webhookId }) => webhookId).toSorted();
}

interface InFlightAttempt {
  readonly ref: DeliveryRef;
  readonly attempt: number;
  readonly startedAtMs: number;
}

type Scheduled = DeliveryRef & { readonly run: number };

function scheduledIn(answer: unknown): readonly Scheduled[] {
  if (typeof answer !== 'object' || answer === null || !('scheduled' in answer)) return [];
  const { scheduled } = answer as { readonly scheduled: Scheduled | readonly Scheduled[] };
  return [scheduled].flat() as readonly Scheduled[];
}

function nameOf({ webhookId, deliveryId }: DeliveryRef): string {
  return `${deliveryId} to ${webhookId}`;
}
