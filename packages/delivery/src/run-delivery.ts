import {
  type Awaitable,
  type DeadReason,
  type DeliveryContext,
  type FinishOutcome,
  type FinishRequest,
  isPromise,
  monotonicMs,
  type NextDelivery,
  type ScheduledDelivery,
  type StartOutcome,
  type Timers,
  type Verdict,
} from '@latchhook/core';
import type { AccountPlaces } from './account-places.ts';
import type { AdmissionDelay } from './admission-delay.ts';
import type { FaultReporter } from './fault-reporter.ts';
import type { LazySender } from './lazy-sender.ts';
import type { DeliveryRun } from './name-of-run.ts';
import { judge } from './send/judge.ts';
import type { SendResult } from './send/send-result.ts';
import type { StartGate } from './start-gate.ts';

/** Where the store could not be asked: from here, plus as much again and half at random, ms. */
const FAULT_DELAY_MS = 2_000;
const FAULT_DELAY_SPREAD_MS = 3_000;
/** From here on a fault takes so long that nobody else should wait for it, ms. */
const SLOW_FAULT_MS = 500;
/** The first pause before a finish is repeated, ms; each next one is twice as long. */
const FINISH_PAUSE_MS = 200;
/** Before a delivery is asked for again of which nobody knows how it stands, ms. */
const STALE_DELAY_MS = 1_000;

/** What a run is made with. */
export interface RunParts {
  readonly context: DeliveryContext;
  readonly sender: LazySender;
  readonly timers: Timers;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly report: FaultReporter;
  readonly places: AccountPlaces;
  readonly gate: StartGate;
  readonly admissionDelay: AdmissionDelay;
  /** Begins a delivery when its delay has passed, though an engine may have put it to sleep for longer. */
  readonly startNext: (delivery: ScheduledDelivery) => void;
}

/** What the engine is to do next. */
export type DeliveryStep =
  /** Forget the run. `held`: it is handed over anew when its webhook is enabled. */
  | { readonly next: 'done'; readonly as: 'delivered' | 'held' | 'over' }
  | { readonly next: 'done'; readonly as: 'dead'; readonly reason: DeadReason }
  /** `failure`: what an attempt that counts failed with; `null` where it was not one's turn. */
  | { readonly next: 'again'; readonly delayMs: number; readonly failure: string | null };

type Started = Extract<StartOutcome, { outcome: 'started' }>;

/**
 * Does what there is to do for a delivery whose turn it is: starts the attempt, sends, judges, finishes. Faults
 * of the store neither lose a try nor use one up. Whoever asks has entered a place of its account, which is left.
 *
 * Concurrency: harmless to ask too often; the store decides whether an attempt starts.
 */
export async function runDelivery(parts: RunParts, run: DeliveryRun): Promise<DeliveryStep> {
  let next: NextDelivery = null;
  try {
    // Before the store admits the attempt, as it then has to begin within the margin of the rate.
    const preparing = parts.sender.ready();
    if (preparing !== null) await preparing;
    let unmade: number | null = null;
    for (;;) {
      const { askedAtMs, started, sending } = await startAndSend(parts, run, unmade);
      if (started === null) return again(faultDelayMs(parts));
      if ('next' in started) next = started.next;
      if (started.outcome !== 'started') return stepWithoutAttempt(parts, run, started);

      const result = await sending;
      if (result === null) {
        unmade = started.startedAtMs;
        continue;
      }
      const verdict = judge(result, started, parts.random);
      const request = requestOf(parts, run, started, result, verdict);
      // From when the store was asked, so that our idea of the lease ends before the store's does.
      const lapsesAtMs = askedAtMs + parts.context.policy.leaseMs;
      const answer = finish(parts, request, lapsesAtMs);
      const finished = isPromise(answer) ? await answer : answer;
      if (finished === null) return again(faultDelayMs(parts));
      if (finished.outcome === 'finished') next = finished.next;
      return stepAfter(parts, run, { result, verdict, finished });
    }
  } finally {
    parts.places.leave(run.accountId);
    // Now that its place is free.
    if (next !== null) parts.startNext(next);
  }
}

interface Begun {
  readonly askedAtMs: number;
  readonly started: StartOutcome | null;
  /** `null`: nothing was sent. */
  readonly sending: Promise<SendResult | null> | null;
}

const NOT_ASKED: Begun = { askedAtMs: 0, started: null, sending: null };

/** Asks to start, and if it may, sends: within the margin of the rate, or not at all. */
async function startAndSend(
  parts: RunParts,
  run: DeliveryRun,
  unmade: number | null,
): Promise<Begun> {
  const { gate, admissionDelay, context } = parts;
  const entering = gate.enter();
  if (entering !== null && !(await entering)) return NOT_ASKED;
  try {
    const askedAtMs = monotonicMs(context.clock);
    const started = await start(parts, run, unmade);
    const nowMs = monotonicMs(context.clock);
    if (started === null && nowMs - askedAtMs >= SLOW_FAULT_MS) gate.turnAway();
    if (started?.outcome !== 'started') return { askedAtMs, started, sending: null };
    const { startedAtMs } = started;
    const lateMs = admissionDelay.excessMs({ askedAtMs, startedAtMs }, nowMs);
    const leftMs = context.policy.rateMarginMs - lateMs;
    return { askedAtMs, started, sending: leftMs < 0 ? null : send(parts, run, started, leftMs) };
  } finally {
    gate.leave();
  }
}

/** What is to be done where the account has its share of this process's places, and it cannot wait in line. */
export function turnAway({ places, context }: RunParts, { accountId }: DeliveryRun): DeliveryStep {
  return again(places.pauseMs(accountId, monotonicMs(context.clock)));
}

/**
 * `null` where the store could not be asked, which it has been told of by whoever guards it. Throws in no case: runs
 * begin one another, and one that ended before it awaited anything would begin the next within itself.
 */
function start(
  { context: { deliveries, policy } }: RunParts,
  { accountId, webhookId, deliveryId, run }: DeliveryRun,
  unmade: number | null,
): Awaitable<StartOutcome | null> {
  try {
    const started = deliveries.start({
      accountId,
      webhookId,
      deliveryId,
      run,
      leaseMs: policy.leaseMs,
      maxInFlight: policy.maxInFlightPerWebhook,
      maxLostAttempts: policy.maxLostAttempts,
      rateMarginMs: policy.rateMarginMs,
      unmade,
    });
    return isPromise(started) ? started.catch(() => null) : started;
  } catch {
    return null;
  }
}

function stepWithoutAttempt(
  parts: RunParts,
  run: DeliveryRun,
  outcome: Exclude<StartOutcome, Started>,
): DeliveryStep {
  switch (outcome.outcome) {
    case 'deferred':
      return again(outcome.delayMs);
    case 'held':
    case 'over':
      return { next: 'done', as: outcome.outcome };
    case 'poisoned':
      return dead(parts, run, 'poison');
  }
}

/** `null`: it was too late for the rate to begin. */
async function send(
  parts: RunParts,
  run: DeliveryRun,
  { webhook, body, startedAtMs }: Started,
  beginWithinMs: number,
): Promise<SendResult | null> {
  try {
    return await parts.sender.send({
      url: webhook.url,
      deliveryId: run.deliveryId,
      body,
      secrets: parts.context.openSecrets(run, webhook.secrets),
      timestampMs: startedAtMs,
      beginWithinMs,
    });
  } catch (error) {
    return failedHere(parts, error);
  }
}

/** A key that is missing here, or a mistake of ours: the receiver must not pay for it with its tries. */
function failedHere({ report }: RunParts, error: unknown): SendResult {
  report(error);
  return {
    status: null,
    durationMs: 0,
    error: 'sender_failed',
    response: null,
    retryAfterMs: null,
  };
}

function requestOf(
  { context }: RunParts,
  { accountId, webhookId, deliveryId }: DeliveryRun,
  { attempt }: Started,
  { status, durationMs, error, response }: SendResult,
  verdict: Verdict,
): FinishRequest {
  return {
    accountId,
    webhookId,
    deliveryId,
    attempt,
    result: { status, durationMs, error, response },
    verdict,
    disableAfterMs: context.policy.disableAfterMs,
    maxInFlight: context.policy.maxInFlightPerWebhook,
  };
}

/**
 * Repeated for as long as the lease holds: what is not written down by then is taken for lost and sent again,
 * though it arrived. `null` where it could not be.
 */
function finish(
  parts: RunParts,
  request: FinishRequest,
  lapsesAtMs: number,
  pauseMs: number = FINISH_PAUSE_MS,
): Awaitable<FinishOutcome | null> {
  const { context, timers } = parts;
  const finished = context.deliveries.finish(request);
  if (!isPromise(finished)) return finished;
  return finished.catch(async () => {
    if (monotonicMs(context.clock) + pauseMs >= lapsesAtMs) return null;
    await new Promise<void>((resolve) => void timers.after(pauseMs, resolve));
    return finish(parts, request, lapsesAtMs, 2 * pauseMs);
  });
}

interface Ended {
  readonly result: SendResult;
  readonly verdict: Verdict;
  readonly finished: FinishOutcome;
}

function stepAfter(
  parts: RunParts,
  run: DeliveryRun,
  { result, verdict, finished }: Ended,
): DeliveryStep {
  // Taken for lost, or written down by a finish of which the answer was lost: the store knows which.
  if (finished.outcome === 'stale') return again(STALE_DELAY_MS);

  if (finished.disabled !== null) {
    const { accountId, webhookId } = run;
    const reason = finished.disabled;
    parts.context.emit({ type: 'webhook.disabled', accountId, webhookId, reason });
  }
  switch (verdict.kind) {
    case 'delivered':
      return { next: 'done', as: 'delivered' };
    case 'dead':
      return dead(parts, run, verdict.reason);
    case 'retry':
      if (finished.state === 'held') return { next: 'done', as: 'held' };
      return { next: 'again', delayMs: verdict.delayMs, failure: failureOf(result) };
    case 'excused':
      if (finished.state === 'held') return { next: 'done', as: 'held' };
      return again(verdict.delayMs);
  }
}

function dead(
  { context }: RunParts,
  { accountId, webhookId, deliveryId }: DeliveryRun,
  reason: 'exhausted' | 'gone' | 'poison',
): DeliveryStep {
  context.emit({ type: 'delivery.dead', accountId, webhookId, deliveryId, reason });
  return { next: 'done', as: 'dead', reason };
}

function again(delayMs: number): DeliveryStep {
  return { next: 'again', delayMs, failure: null };
}

function failureOf({ status, error }: SendResult): string {
  return error ?? `status ${status}`;
}

function faultDelayMs({ random }: RunParts): number {
  return FAULT_DELAY_MS + random() * FAULT_DELAY_SPREAD_MS;
}
