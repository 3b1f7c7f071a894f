import { type Awaitable, isPromise } from '@latchhook/core';
import { monotonicMs } from '@latchhook/core/delivery';
import type { ScheduledDelivery, StartOutcome, StartRequest } from '@latchhook/core/storage';
import type { SendResult } from '../send/send-result.ts';
import type { SendOutcome } from '../send/sender.ts';
import type { AdmissionDelay } from './admission-delay.ts';
import type { LazySender } from './lazy-sender.ts';
import type { DeliveryRun } from './name-of-run.ts';
import {
  type LeaseDeps,
  retryWhileLeased,
  STORE_UNAVAILABLE,
  type StoreUnavailable,
} from './retry-while-leased.ts';
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
  /**
   * Whether receivers are told the time of this process, instead of the store's: they compare it with theirs, and a
   * storage in memory does not follow the time of day.
   */
  readonly isTimeOfDayOurs: boolean;
  /** Begins a delivery when its delay has passed, even if the engine has it wait for longer. */
  readonly startNext: (delivery: ScheduledDelivery) => void;
}

/** What the store has admitted. */
export type Started = Extract<StartOutcome, { outcome: 'started' }>;

/** What the store answers to an attempt that it does not admit. */
export type NotStarted = Exclude<StartOutcome, Started>;

/** What came of {@link makeAttempt}: an attempt that has ended, or why there was none. */
export type MadeAttempt =
  | {
      readonly outcome: 'made';
      readonly started: Started;
      readonly result: SendResult;
      /** When the lease ends, by the monotonic clock, ms: a little earlier than by the store's. */
      readonly lapsesAtMs: number;
    }
  | NotStarted
  | StoreUnavailable;

/**
 * Makes an attempt, if the store admits one now. Not `async`: at thousands a second, one more promise is measurable.
 */
export function makeAttempt(deps: AttemptDeps, run: DeliveryRun): Promise<MadeAttempt> {
  // Before the store is asked: once it has admitted the attempt, that has to begin within the margin of the rate.
  const preparing = deps.sender.ready();
  if (preparing === null) return attemptInTime(deps, run);
  return preparing.then(() => attemptInTime(deps, run));
}

/**
 * An attempt that was admitted and cannot begin within the margin of the rate is withdrawn, and the store is asked for
 * another in its place (ADR 43).
 */
async function attemptInTime(deps: AttemptDeps, run: DeliveryRun): Promise<MadeAttempt> {
  let asked = await askStore(deps, run, { withdrawnStartAtMs: null, isLast: false });
  for (let admissions = 2; asked.outcome === 'sending'; admissions += 1) {
    const { started, lapsesAtMs }: Sending = asked;
    let sent: SendOutcome;
    try {
      sent = await asked.sent;
    } catch (error) {
      sent = failedHere(error);
    }
    if (sent !== 'too_late') return { outcome: 'made', started, result: sent, lapsesAtMs };
    const ask = { withdrawnStartAtMs: started.startedAtMs, isLast: admissions === MAX_ADMISSIONS };
    asked = await retryWhileLeased(deps, lapsesAtMs, () => askStore(deps, run, ask));
  }
  return asked;
}

interface Ask extends Pick<StartRequest, 'withdrawnStartAtMs'> {
  /** Whether it is sent however late it is. */
  readonly isLast: boolean;
}

/** An attempt that was admitted, and is on its way unless it is too late. */
interface Sending {
  readonly outcome: 'sending';
  readonly started: Started;
  readonly lapsesAtMs: number;
  readonly sent: Promise<SendOutcome>;
}

type Asked = Sending | NotStarted | StoreUnavailable;

/** Asks the store, once the window of starts has room, and begins to send what it admits. */
function askStore(deps: AttemptDeps, run: DeliveryRun, ask: Ask): Promise<Asked> {
  const waiting = deps.startWindow.acquire(run.accountId);
  if (waiting === null) return askInWindow(deps, run, ask);
  return waiting.then((mayStart) => (mayStart ? askInWindow(deps, run, ask) : STORE_UNAVAILABLE));
}

function askInWindow(deps: AttemptDeps, run: DeliveryRun, ask: Ask): Promise<Asked> {
  const { startWindow, context } = deps;
  const askedAtMs = monotonicMs(context.clock);
  return Promise.resolve(start(deps, run, ask.withdrawnStartAtMs)).then((answer) => {
    const isUnavailable = answer.outcome === 'store_unavailable';
    if (isUnavailable && monotonicMs(context.clock) - askedAtMs >= SLOW_FAULT_MS) {
      startWindow.refuseWaiting(run.accountId);
    }
    const isStarted = answer.outcome === 'started';
    const asked = isStarted
      ? beginToSend(deps, { run, started: answer, askedAtMs, isLast: ask.isLast })
      : answer;
    startWindow.release(run.accountId);
    if (isStarted && answer.next !== null) deps.startNext(answer.next);
    return asked;
  });
}

/**
 * Never throws: runs begin one another, and one that ended before it awaited anything would begin the next on its own
 * call stack.
 */
function start(
  { context: { deliveries, policy } }: AttemptDeps,
  { accountId, webhookId, deliveryId, run }: DeliveryRun,
  withdrawnStartAtMs: number | null,
): Awaitable<StartOutcome | StoreUnavailable> {
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
    return isPromise(started) ? started.catch(() => STORE_UNAVAILABLE) : started;
  } catch {
    return STORE_UNAVAILABLE;
  }
}

/** An attempt that the store has admitted. */
interface Admitted extends Pick<Ask, 'isLast'> {
  readonly run: DeliveryRun;
  readonly started: Started;
  /** When the store was asked; monotonic, ms. */
  readonly askedAtMs: number;
}

function beginToSend(deps: AttemptDeps, admitted: Admitted): Sending {
  const { started, askedAtMs } = admitted;
  const lapsesAtMs = askedAtMs + deps.context.policy.leaseMs;
  return { outcome: 'sending', started, lapsesAtMs, sent: send(deps, admitted) };
}

function send(deps: AttemptDeps, admitted: Admitted): Promise<SendOutcome> {
  const { run, started } = admitted;
  const { webhook, body, startedAtMs } = started;
  try {
    return deps.sender.send({
      accountId: run.accountId,
      url: webhook.url,
      deliveryId: run.deliveryId,
      body,
      secrets: deps.context.openSecrets(run, webhook.secrets),
      timestampMs: deps.isTimeOfDayOurs ? deps.context.clock.nowMs() : startedAtMs,
      mayBegin: (connectingMs) => mayBegin(deps, admitted, connectingMs),
    });
  } catch (error) {
    return Promise.resolve(failedHere(error));
  }
}

/**
 * Whether an attempt that has connected for so long is within the margin of the rate, or is sent however late it is.
 */
function mayBegin(
  { admissionDelay, startWindow, context: { clock, policy } }: AttemptDeps,
  { started: { startedAtMs }, askedAtMs, isLast }: Admitted,
  connectingMs: number,
): boolean {
  const nowMs = monotonicMs(clock) - connectingMs;
  const delayMs = admissionDelay.measureMs({ askedAtMs, startedAtMs }, nowMs);
  const isInTime = delayMs <= policy.rateMarginMs;
  if (isInTime) startWindow.noteInTime();
  else startWindow.noteLate(askedAtMs, nowMs);
  return isInTime || isLast;
}

/** A missing key, or a bug of ours: it must not cost the receiver one of its tries. */
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
