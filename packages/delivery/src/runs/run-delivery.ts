import { type Awaitable, isPromise } from '@latchhook/core';
import { monotonicMs } from '@latchhook/core/delivery';
import type {
  DeadReason,
  FinishOutcome,
  FinishRequest,
  NextDelivery,
  Verdict,
} from '@latchhook/core/storage';
import type { FaultReporter } from '../fault-reporter.ts';
import type { SendResult } from '../send/send-result.ts';
import type { AccountSlots } from './account-slots.ts';
import { decidePause } from './decide-pause.ts';
import { decideVerdict } from './decide-verdict.ts';
import { faultsBefore } from './faults-before.ts';
import { type AttemptDeps, makeAttempt, type NotStarted, type Started } from './make-attempt.ts';
import type { DeliveryRun } from './name-of-run.ts';
import {
  retryWhileLeased,
  STORE_UNAVAILABLE,
  type StoreUnavailable,
} from './retry-while-leased.ts';

/** The pause after the store could not be asked, ms: this, and a random part of the spread on top. */
const STORE_RETRY_MS = 2_000;
const STORE_RETRY_SPREAD_MS = 3_000;
/** The pause before asking again for a delivery whose state this process no longer knows, ms. */
const STALE_DELAY_MS = 1_000;

/** What a run is made with. */
export interface RunDeps extends AttemptDeps {
  readonly report: FaultReporter;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly slots: AccountSlots;
}

/** What the engine is to do next: ask again after `delayMs`, or where there is none forget the run. */
export type DeliveryStep =
  /** `held`: it is handed over again when its webhook is enabled. */
  | { readonly outcome: 'delivered' | 'held' | 'over' }
  | { readonly outcome: 'dead'; readonly reason: DeadReason }
  /** An attempt that counts has failed. */
  | { readonly outcome: 'retry'; readonly delayMs: number; readonly reason: string }
  /** It may not start yet, or what failed does not count. */
  | { readonly outcome: 'wait'; readonly delayMs: number }
  /** The store could not be asked, and could not be for any other delivery either. */
  | { readonly outcome: 'store_unavailable'; readonly delayMs: number };

/**
 * Runs a delivery whose turn it is: starts the attempt, sends it, decides the verdict and finishes. Faults
 * of the store neither lose a try nor use one up. The caller has acquired a slot of its account; this releases it.
 *
 * Concurrency: harmless to ask too often; the store decides whether an attempt starts.
 *
 * @param onSent - called when an attempt has been sent, its end is on its way to the store, and its slot is free
 */
export async function runDelivery(
  deps: RunDeps,
  run: DeliveryRun,
  onSent?: () => void,
): Promise<DeliveryStep> {
  let next: NextDelivery = null;
  let holdsSlot = true;
  try {
    const made = await makeAttempt(deps, run);
    if (made.outcome !== 'made') {
      if ('next' in made) next = made.next ?? null;
      return stepWithoutAttempt(deps, run, made);
    }
    const { started, result } = made;
    if (result.fault !== undefined) deps.report(result.fault);
    const isOurs = result.error === 'sender_failed';
    const faults = isOurs ? await faultsBefore(deps.context, run, started) : 0;
    const before = { triesBefore: started.triesBefore, faultsBefore: faults };
    const verdict = decideVerdict(result, before, deps.random);
    const request = requestOf(deps, run, started, result, verdict);
    const answer = finish(deps, request, made.lapsesAtMs);
    // Not once the store has answered: whoever takes its place asks to start meanwhile (ADR 55).
    holdsSlot = false;
    deps.slots.release(run.accountId);
    onSent?.();
    const finished = isPromise(answer) ? await answer : answer;
    if (finished.outcome === 'store_unavailable') return storeUnavailable(deps);
    if (finished.outcome === 'finished') next = finished.next;
    return stepAfter(deps, run, { result, verdict, finished });
  } finally {
    if (holdsSlot) deps.slots.release(run.accountId);
    // Now that its slot is free.
    if (next !== null) deps.startNext(next);
  }
}

/** The step for a run that cannot wait for a slot, when its account holds its share of this process's slots. */
export function turnAway({ slots, context }: RunDeps, { accountId }: DeliveryRun): DeliveryStep {
  return wait(slots.reserveRetryMs(accountId, monotonicMs(context.clock)));
}

function stepWithoutAttempt(
  deps: RunDeps,
  run: DeliveryRun,
  answer: NotStarted | StoreUnavailable,
): DeliveryStep {
  switch (answer.outcome) {
    case 'store_unavailable':
      return storeUnavailable(deps);
    case 'deferred':
      return wait(answer.delayMs);
    case 'held':
    case 'over':
      return { outcome: answer.outcome };
    case 'poisoned':
      return dead(deps, run, 'poison');
  }
}

function requestOf(
  { context }: RunDeps,
  { accountId, webhookId, deliveryId }: DeliveryRun,
  { attempt }: Started,
  result: SendResult,
  verdict: Verdict,
): FinishRequest {
  const { status, durationMs, error, response } = result;
  return {
    accountId,
    webhookId,
    deliveryId,
    attempt,
    result: { status, durationMs, error, response },
    verdict,
    disableAfterMs: context.policy.disableAfterMs,
    pauseMs: decidePause(result),
    maxInFlight: context.policy.maxInFlightPerWebhook,
  };
}

/** Repeated while the lease holds; after that the store counts the attempt as lost. */
function finish(
  deps: RunDeps,
  request: FinishRequest,
  lapsesAtMs: number,
): Awaitable<FinishOutcome | StoreUnavailable> {
  const { deliveries } = deps.context;
  return retryWhileLeased(deps, lapsesAtMs, () => {
    const finished = deliveries.finish(request);
    return isPromise(finished) ? finished.catch(() => STORE_UNAVAILABLE) : finished;
  });
}

interface Ended {
  readonly result: SendResult;
  readonly verdict: Verdict;
  readonly finished: FinishOutcome;
}

function stepAfter(
  deps: RunDeps,
  run: DeliveryRun,
  { result, verdict, finished }: Ended,
): DeliveryStep {
  // The store counts the attempt as lost, or an earlier finish landed and its answer did not: the store knows which.
  if (finished.outcome === 'stale') return wait(STALE_DELAY_MS);

  if (finished.disabled !== null) {
    const { accountId, webhookId } = run;
    const reason = finished.disabled;
    deps.context.emit({ type: 'webhook.disabled', accountId, webhookId, reason });
  }
  switch (verdict.kind) {
    case 'delivered':
      return { outcome: 'delivered' };
    case 'dead':
      return dead(deps, run, verdict.reason);
    case 'retry':
      if (finished.state === 'held') return { outcome: 'held' };
      return { outcome: 'retry', delayMs: verdict.delayMs, reason: reasonOf(result) };
    case 'excused':
      if (finished.state === 'held') return { outcome: 'held' };
      return wait(verdict.delayMs);
  }
}

function dead(
  { context }: RunDeps,
  { accountId, webhookId, deliveryId }: DeliveryRun,
  reason: 'exhausted' | 'gone' | 'poison',
): DeliveryStep {
  context.emit({ type: 'delivery.dead', accountId, webhookId, deliveryId, reason });
  return { outcome: 'dead', reason };
}

function wait(delayMs: number): DeliveryStep {
  return { outcome: 'wait', delayMs };
}

function reasonOf({ status, error }: SendResult): string {
  return error ?? `status ${status}`;
}

function storeUnavailable({ random }: RunDeps): DeliveryStep {
  return {
    outcome: 'store_unavailable',
    delayMs: STORE_RETRY_MS + random() * STORE_RETRY_SPREAD_MS,
  };
}
