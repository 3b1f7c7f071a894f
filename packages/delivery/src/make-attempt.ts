import {
  type Awaitable,
  isPromise,
  monotonicMs,
  type ScheduledDelivery,
  type StartOutcome,
  type StartRequest,
} from '@latchhook/core';
import type { AdmissionDelay } from './admission-delay.ts';
import type { LazySender } from './lazy-sender.ts';
import type { DeliveryRun } from './name-of-run.ts';
import type { SendResult } from './send/send-result.ts';
import type { SendRequest } from './send/sender.ts';
import type { StartTurns } from './start-turns.ts';
import { type LeaseParts, whileLeased } from './while-leased.ts';

/** From here on a fault takes so long that nobody else should wait for it, ms. */
const SLOW_FAULT_MS = 500;

/**
 * So often it asks for one delivery. A process that is late each time is so for good, and sends nevertheless: it would
 * else keep room and rate from the others, and send nothing.
 */
const MOST_ASKED = 8;

/** What the attempts of a process are made with. */
export interface AttemptParts extends LeaseParts {
  readonly sender: LazySender;
  readonly startTurns: StartTurns;
  readonly admissionDelay: AdmissionDelay;
  /** Begins a delivery when its delay has passed, though an engine may have put it to sleep for longer. */
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
      /** Monotonic, ms. Our idea of the lease ends before the store's does. */
      readonly lapsesAtMs: number;
    }
  | NotStarted;

/**
 * Makes an attempt, if it may be made now: within the margin of the rate after its admission, or else by another one
 * (ADR 43). `null` where the store could not be asked.
 */
export async function makeAttempt(
  parts: AttemptParts,
  run: DeliveryRun,
): Promise<MadeAttempt | null> {
  // Before the store admits the attempt, as it then has to begin within the margin of the rate.
  const preparing = parts.sender.ready();
  if (preparing !== null) await preparing;
  let begun = await begin(parts, run, { unmadeStartedAtMs: null, isLast: false });
  for (let asked = 2; begun !== null && 'sending' in begun; asked += 1) {
    const { started, lapsesAtMs }: Begun = begun;
    let result: SendResult | null;
    try {
      result = await begun.sending;
    } catch (error) {
      result = failedHere(error);
    }
    if (result !== null) return { outcome: 'made', started, result, lapsesAtMs };
    const ask = { unmadeStartedAtMs: started.startedAtMs, isLast: asked === MOST_ASKED };
    begun = await whileLeased(parts, lapsesAtMs, () => begin(parts, run, ask));
  }
  return begun;
}

interface Ask extends Pick<StartRequest, 'unmadeStartedAtMs'> {
  /** Whether it begins however late it is. */
  readonly isLast: boolean;
}

interface Begun {
  readonly started: Started;
  readonly lapsesAtMs: number;
  /** `null`: it was too late, and nothing was sent. */
  readonly sending: Promise<SendResult | null>;
}

/** `null`: the store could not be asked. */
type Asked = Begun | NotStarted | null;

/** Without `async`: of thousands a second, each promise is felt. */
function begin(parts: AttemptParts, run: DeliveryRun, ask: Ask): Promise<Asked> {
  const turn = parts.startTurns.take(run.accountId);
  if (turn === null) return askInTurn(parts, run, ask);
  return turn.then((isTurn) => (isTurn ? askInTurn(parts, run, ask) : null));
}

function askInTurn(parts: AttemptParts, run: DeliveryRun, ask: Ask): Promise<Asked> {
  const { startTurns, context } = parts;
  const askedAtMs = monotonicMs(context.clock);
  return Promise.resolve(start(parts, run, ask.unmadeStartedAtMs)).then((started) => {
    if (started === null && monotonicMs(context.clock) - askedAtMs >= SLOW_FAULT_MS) {
      startTurns.refuseWaiting(run.accountId);
    }
    const asked =
      started?.outcome === 'started' ? sendAt(parts, run, ask, started, askedAtMs) : started;
    startTurns.giveBack(run.accountId);
    if (started?.outcome === 'started' && started.next !== null) parts.startNext(started.next);
    return asked;
  });
}

/** Begins to send, unless it is too late by then. */
function sendAt(
  parts: AttemptParts,
  run: DeliveryRun,
  { isLast }: Ask,
  started: Started,
  askedAtMs: number,
): Begun {
  const { admissionDelay, context } = parts;
  const { clock, policy } = context;
  const admission = { askedAtMs, startedAtMs: started.startedAtMs };
  const mayBegin = (connectingMs: number): boolean => {
    const lateMs = admissionDelay.measureMs(admission, monotonicMs(clock) - connectingMs);
    return lateMs <= policy.rateMarginMs || isLast;
  };
  const lapsesAtMs = askedAtMs + policy.leaseMs;
  return { started, lapsesAtMs, sending: send(parts, run, started, mayBegin) };
}

/**
 * `null` where the store could not be asked, which it has been told of by whoever guards it. Throws in no case: runs
 * begin one another, and one that ended before it awaited anything would begin the next within itself.
 */
function start(
  { context: { deliveries, policy } }: AttemptParts,
  { accountId, webhookId, deliveryId, run }: DeliveryRun,
  unmadeStartedAtMs: number | null,
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
      unmadeStartedAtMs,
    });
    return isPromise(started) ? started.catch(() => null) : started;
  } catch {
    return null;
  }
}

/** `null`: it was too late for the rate to begin. */
function send(
  parts: AttemptParts,
  run: DeliveryRun,
  { webhook, body, startedAtMs }: Started,
  mayBegin: SendRequest['mayBegin'],
): Promise<SendResult | null> {
  try {
    return parts.sender.send({
      url: webhook.url,
      deliveryId: run.deliveryId,
      body,
      secrets: parts.context.openSecrets(run, webhook.secrets),
      timestampMs: startedAtMs,
      mayBegin,
    });
  } catch (error) {
    return Promise.resolve(failedHere(error));
  }
}

/** A key that is missing here, or a mistake of ours: the receiver must not pay for it with its tries. */
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
