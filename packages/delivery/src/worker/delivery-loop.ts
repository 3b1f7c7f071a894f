import type { DeliveryContext, Timers } from '@latchhook/core/delivery';
import type { AttemptEnd, Claim, ClaimedAttempt, ClaimStore } from '@latchhook/core/storage';
import { decidePause } from '../runs/decide-pause.ts';
import type { SendResult } from '../send/send-result.ts';
import type { Sender, SendOutcome } from '../send/sender.ts';
import { decideOutcome } from './decide-outcome.ts';

/** The longest that nothing is claimed, ms: wake-ups may be missed. */
const POLL_MS = 1_000;
/** How long a worker waits after the store failed: from this, doubled up to {@link POLL_MS}. */
const FIRST_BACKOFF_MS = 125;

export interface DeliveryLoopDeps {
  readonly store: ClaimStore;
  readonly sender: Sender;
  readonly context: Pick<DeliveryContext, 'policy' | 'openSecrets' | 'emit'>;
  readonly timers: Timers;
  readonly random: () => number;
  /** Monotonic, ms. */
  readonly nowMs: () => number;
  /** Attempts that this process has in flight at a time. */
  readonly concurrency: number;
  readonly maxInFlightPerAccount: number;
}

/** An attempt that has ended and is to be told the store. */
interface Ended {
  readonly end: AttemptEnd;
  /** When its lease is over, by the monotonic clock, ms: a little earlier than by the store's. */
  readonly leaseEndsAtMs: number;
}

/** Claims attempts while it has permits, sends them, and completes all that ended in a turn together. */
export class DeliveryLoop {
  readonly #deps: DeliveryLoopDeps;
  #free: number;
  #ended: Ended[] = [];
  #isFlushing = false;
  #isClaiming = false;
  #isClosing = false;
  #backoffMs = 0;
  #cancelTimer = (): void => {};
  #unsubscribe: (() => Promise<void>) | undefined;
  #onIdle: (() => void) | undefined;

  constructor(deps: DeliveryLoopDeps) {
    this.#deps = deps;
    this.#free = deps.concurrency;
  }

  start(): void {
    this.#unsubscribe = this.#deps.store.subscribe?.(() => this.#claim());
    this.#claim();
  }

  /** Claims no more, waits for the attempts in flight, and completes them. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#cancelTimer();
    await this.#unsubscribe?.();
    if (!this.#isIdle()) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await this.#deps.sender.close();
  }

  #isIdle(): boolean {
    return (
      !this.#isClaiming &&
      !this.#isFlushing &&
      this.#ended.length === 0 &&
      this.#free === this.#deps.concurrency
    );
  }

  #settle(): void {
    if (this.#isClosing && this.#isIdle()) this.#onIdle?.();
  }

  #claim(): void {
    if (this.#isClaiming || this.#isClosing || this.#free === 0) return;
    this.#cancelTimer();
    this.#isClaiming = true;
    const { store, context, maxInFlightPerAccount, nowMs } = this.#deps;
    const { policy } = context;
    const askedAtMs = nowMs();
    Promise.resolve(
      store.claim({
        limit: this.#free,
        leaseMs: policy.leaseMs,
        rateMarginMs: policy.rateMarginMs,
        maxInFlightPerWebhook: policy.maxInFlightPerWebhook,
        maxInFlightPerAccount,
        maxLostAttempts: policy.maxLostAttempts,
      }),
    ).then(
      (claim) => this.#claimed(claim, askedAtMs),
      () => this.#failed(),
    );
  }

  #claimed({ attempts, poisoned, nextInMs }: Claim, askedAtMs: number): void {
    this.#isClaiming = false;
    this.#backoffMs = 0;
    for (const delivery of poisoned) {
      this.#deps.context.emit({ type: 'delivery.dead', reason: 'poison', ...delivery });
    }
    for (const attempt of attempts) this.#send(attempt, askedAtMs);
    if (this.#free > 0) this.#claimIn(Math.min(nextInMs ?? POLL_MS, POLL_MS));
    this.#settle();
  }

  #failed(): void {
    this.#isClaiming = false;
    this.#backoffMs = Math.min(POLL_MS, this.#backoffMs * 2 || FIRST_BACKOFF_MS);
    this.#claimIn(this.#backoffMs * (1 + this.#deps.random()));
    this.#settle();
  }

  #claimIn(ms: number): void {
    if (this.#isClosing) return;
    if (ms === 0) this.#claim();
    else this.#cancelTimer = this.#deps.timers.after(ms, () => this.#claim());
  }

  #send(attempt: ClaimedAttempt, askedAtMs: number): void {
    this.#free -= 1;
    const { sender, context, nowMs } = this.#deps;
    const { policy } = context;
    const mayBegin = (connectingMs: number) =>
      nowMs() - connectingMs - askedAtMs <= policy.rateMarginMs;
    const sent = sender.send({
      accountId: attempt.accountId,
      url: attempt.webhook.url,
      deliveryId: attempt.deliveryId,
      body: attempt.body,
      secrets: context.openSecrets(attempt, attempt.webhook.secrets),
      timestampMs: attempt.claimedAtMs,
      mayBegin,
    });
    void sent.then((outcome) =>
      this.#end({
        end: toEnd(attempt, outcome, this.#deps.random),
        leaseEndsAtMs: askedAtMs + policy.leaseMs,
      }),
    );
  }

  #end(ended: Ended): void {
    this.#free += 1;
    this.#ended.push(ended);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    const { store, context, maxInFlightPerAccount } = this.#deps;
    const ended = this.#ended;
    this.#ended = [];
    this.#isFlushing = false;
    const limits = { disableAfterMs: context.policy.disableAfterMs, maxInFlightPerAccount };
    const ends = ended.map(({ end }) => end);
    Promise.resolve(store.complete(ends, limits)).then(
      (completed) => {
        for (const [place, outcome] of completed.entries()) {
          const end = ends[place];
          if (end === undefined || outcome.outcome === 'stale') continue;
          const { accountId, webhookId, deliveryId } = end;
          if (outcome.disabled !== null) {
            context.emit({
              type: 'webhook.disabled',
              accountId,
              webhookId,
              reason: outcome.disabled,
            });
          }
          if (end.outcome.kind === 'failed') {
            const { reason } = end.outcome;
            context.emit({ type: 'delivery.dead', accountId, webhookId, deliveryId, reason });
          }
        }
        this.#settle();
      },
      () => this.#completeLater(ended),
    );
    this.#claim();
  }

  /** Tells the store again, until the leases are over: then the attempts count as lost, whatever is told. */
  #completeLater(ended: readonly Ended[]): void {
    const { timers, nowMs } = this.#deps;
    timers.after(POLL_MS, () => {
      const held = ended.filter(({ leaseEndsAtMs }) => nowMs() < leaseEndsAtMs);
      if (held.length === 0) {
        this.#settle();
        return;
      }
      this.#ended.push(...held);
      if (this.#isFlushing) return;
      this.#isFlushing = true;
      setImmediate(() => this.#flush());
    });
  }
}

function toEnd(attempt: ClaimedAttempt, outcome: SendOutcome, random: () => number): AttemptEnd {
  const { accountId, webhookId, deliveryId, sequence, claimedAtMs, createdAtMs, expiresAtMs } =
    attempt;
  const ref = {
    ...{ accountId, webhookId, deliveryId, attempt: attempt.attempt },
    ...{ sequence, claimedAtMs, createdAtMs, expiresAtMs },
  };
  if (outcome === 'too_late') return { ...ref, outcome: { kind: 'not_started' } };
  const result: SendResult = outcome;
  return {
    ...ref,
    result,
    outcome: decideOutcome(result, attempt, random),
    backoffMs: decidePause(result),
  };
}
