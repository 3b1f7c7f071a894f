import { type Awaitable, isPromise } from '@latchhook/core';
import { monotonicMs } from '@latchhook/core/delivery';
import type { ScheduledDelivery, StartOutcome, StartRequest } from '@latchhook/core/storage';
import type { SendResult } from '../send/send-result.ts';
import type { SendRequest } from '../send/sender.ts';
import type { AdmissionDelay } from './admission-delay.ts';
import type { LazySender } from './lazy-sender.ts';
import type { DeliveryRun } from './name-of-run.ts';
import { type LeaseDeps, retryWhileLeased } from './retry-while-leased.ts';
import type { StartWindow } from './start-window.ts';

/** A store that took this long to fail, ms, is not worth asking again: others of the account are refused at once. */
const SLOW_FAULT_MS = 500;

/**
 * How often one delivery is admitted at most; the last time, it is sent however late it is. Otherwise a process that is
 * always too late would hold room and rate that others could use, and send nothing.
 */
const MAX_ADMISSIONS = 8;

/** What the attempts of a process are made with. */
export interface AttemptDeps extends LeaseDeps {
  readonly sender: LazySender;
  readonly startWindow: StartWindow;
  readonly admissionDelay: AdmissionDelay;
  /** Begins a delivery when its delay has passed, even if the engine has it wait for longer. */
  readonly startNext: (delivery: ScheduledDelivery) => void;
}

/** What the store has admitted. */
export type Started = Extract<StartOutcome, { outcome: 'started' }>;

type NotStarted = Exclude<StartOutcome, Started>;

/** What came of {@link makeAttempt}: an attempt that has ended, or what the store said instead. */
export type MadeAttempt =
  | {
      readonly outcome: 'made';
      readonly started: Started;
      readonly result: SendResult;
      /** When the lease ends, by the monotonic clock, ms: a little earlier than by the store's. */
      readonly lapsesAtMs: number;
    }
  | NotStarted;

/**
 * Makes an attempt, if the store admits one now. If it then cannot begin within the margin of the rate, the attempt
 * is withdrawn, and the store is asked for another in its place (ADR 43). `null` where the store could not be asked.
 */
export async function makeAttempt(
  deps: AttemptDeps,
  run: DeliveryRun,
): Promise<MadeAttempt | null> {
  // Before the store is asked: once it has admitted the attempt, that has to begin within the margin of the rate.
  const preparing = deps.sender.ready();
  if (preparing !== null) await preparing;
  let begun = await begin(deps, run, { withdrawnStartAtMs: null, isLast: false });
  for (let admissions = 2; begun !== null && 'sending' in begun; admissions += 1) {
    const { started, lapsesAtMs }: Begun = begun;
    let result: SendResult | null;
    try {
      result = await begun.sending;
    } catch (error) {
      result = failedHere(error);
    }
    if (result !== null) return { outcome: 'made', started, result, lapsesAtMs };
    const ask = { withdrawnStartAtMs: started.startedAtMs, isLast: admissions === MAX_ADMISSIONS };
    begun = await retryWhileLeased(deps, lapsesAtMs, () => begin(deps, run, ask));
  }
  return begun;
}

interface Ask extends Pick<StartRequest, 'withdrawnStartAtMs'> {
  /** Whether it is sent however late it is. */
  readonly isLast: boolean;
}

interface Begun {
  readonly started: Started;
  readonly lapsesAtMs: number;
  /** `null`: it was too late, and nothing was sent. */
  readonly sending: Promise<SendResult | null>;
}

/** `null`: the store could not be asked. */
type BeginOutcome = Begun | NotStarted | null;

/** Not `async`: at thousands a second, one more promise is measurable. */
function begin(deps: AttemptDeps, run: DeliveryRun, ask: Ask): Promise<BeginOutcome> {
  const turn = deps.startWindow.take(run.accountId);
  if (turn === null) return askInTurn(deps, run, ask);
  return turn.then((isTurn) => (isTurn ? askInTurn(deps, run, ask) : null));
}

function askInTurn(deps: AttemptDeps, run: DeliveryRun, ask: Ask): Promise<BeginOutcome> {
  const { startWindow, context } = deps;
  const askedAtMs = monotonicMs(context.clock);
  return Promise.resolve(start(deps, run, ask.withdrawnStartAtMs)).then((started) => {
    if (started === null && monotonicMs(context.clock) - askedAtMs >= SLOW_FAULT_MS) {
      startWindow.refuseWaiting(run.accountId);
    }
    const begun =
      started?.outcome === 'started' ? sendAt(deps, run, ask, started, askedAtMs) : started;
    startWindow.giveBack(run.accountId);
    if (started?.outcome === 'started' && started.next !== null) deps.startNext(started.next);
    return begun;
  });
}

/** Begins to send, unless it is too late by then. */
function sendAt(
  deps: AttemptDeps,
  run: DeliveryRun,
  { isLast }: Ask,
  started: Started,
  askedAtMs: number,
): Begun {
  const { admissionDelay, startWindow, context } = deps;
  const { clock, policy } = context;
  const admission = { askedAtMs, startedAtMs: started.startedAtMs };
  const mayBegin = (connectingMs: number): boolean => {
    const nowMs = monotonicMs(clock) - connectingMs;
    const isInTime = admissionDelay.measureMs(admission, nowMs) <= policy.rateMarginMs;
    if (isInTime) startWindow.noteInTime();
    else startWindow.noteLate(askedAtMs, nowMs);
    return isInTime || isLast;
  };
  const lapsesAtMs = askedAtMs + policy.leaseMs;
  return { started, lapsesAtMs, sending: send(deps, run, started, mayBegin) };
}

/**
 * `null` where the store could not be asked; its guard has reported that. Never throws: runs begin one another, and one
 * that ended before it awaited anything would begin the next on its own call stack.
 */
function start(
  { context: { deliveries, policy } }: AttemptDeps,
  { accountId, webhookId, deliveryId, run }: DeliveryRun,
  withdrawnStartAtMs: number | null,
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
      withdrawnStartAtMs,
    });
    return isPromise(started) ? started.catch(() => null) : started;
  } catch {
    return null;
  }
}

/** `null`: it was too late to begin, by the margin of the rate. */
function send(
  deps: AttemptDeps,
  run: DeliveryRun,
  { webhook, body, startedAtMs }: Started,
  mayBegin: SendRequest['mayBegin'],
): Promise<SendResult | null> {
  try {
    return deps.sender.send({
      accountId: run.accountId,
      url: webhook.url,
      deliveryId: run.deliveryId,
      body,
      secrets: deps.context.openSecrets(run, webhook.secrets),
      timestampMs: startedAtMs,
      mayBegin,
    });
  } catch (error) {
    return Promise.resolve(failedHere(error));
  }
}

/** A missing key, or a mistake of ours: it must not cost the receiver one of its tries. */
function failedHere(fault: unknown): SendResult {
  return {
    status: null,
    durationMs: 0,
    error: 'sender_failed',
    response: null,
    retryAfterMs: null,
    fault,
  };
}
