import {
  type Awaitable,
  type DeliveryContext,
  isPromise,
  monotonicMs,
  type StartOutcome,
} from '@latchhook/core';
import type { AdmissionDelay } from './admission-delay.ts';
import type { FaultReporter } from './fault-reporter.ts';
import type { LazySender } from './lazy-sender.ts';
import type { DeliveryRun } from './name-of-run.ts';
import type { SendResult } from './send/send-result.ts';
import type { StartTurns } from './start-turns.ts';

/** From here on a fault takes so long that nobody else should wait for it, ms. */
const SLOW_FAULT_MS = 500;

/** What the attempts of a process are made with. */
export interface AttemptParts {
  readonly context: DeliveryContext;
  readonly sender: LazySender;
  readonly report: FaultReporter;
  readonly startTurns: StartTurns;
  readonly admissionDelay: AdmissionDelay;
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
  let unmadeStartedAtMs: number | null = null;
  for (;;) {
    const begun = await begin(parts, run, unmadeStartedAtMs);
    if (begun === null || !('sending' in begun)) return begun;
    const { started, lapsesAtMs } = begun;
    const result = await begun.sending;
    if (result !== null) return { outcome: 'made', started, result, lapsesAtMs };
    unmadeStartedAtMs = started.startedAtMs;
  }
}

interface Begun {
  readonly started: Started;
  readonly lapsesAtMs: number;
  /** `null`: it was too late, and nothing was sent. */
  readonly sending: Promise<SendResult | null>;
}

const TOO_LATE: Promise<null> = Promise.resolve(null);

async function begin(
  parts: AttemptParts,
  run: DeliveryRun,
  unmadeStartedAtMs: number | null,
): Promise<Begun | NotStarted | null> {
  const { startTurns, admissionDelay, context } = parts;
  const turn = startTurns.take();
  if (turn !== null && !(await turn)) return null;
  try {
    const askedAtMs = monotonicMs(context.clock);
    const started = await start(parts, run, unmadeStartedAtMs);
    const nowMs = monotonicMs(context.clock);
    if (started === null && nowMs - askedAtMs >= SLOW_FAULT_MS) startTurns.refuseWaiting();
    if (started?.outcome !== 'started') return started;
    const { startedAtMs } = started;
    const lateMs = admissionDelay.measureExcessMs({ askedAtMs, startedAtMs }, nowMs);
    const leftMs = context.policy.rateMarginMs - lateMs;
    return {
      started,
      lapsesAtMs: askedAtMs + context.policy.leaseMs,
      sending: leftMs < 0 ? TOO_LATE : send(parts, run, started, leftMs),
    };
  } finally {
    startTurns.giveBack();
  }
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
async function send(
  parts: AttemptParts,
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
function failedHere({ report }: AttemptParts, error: unknown): SendResult {
  report(error);
  return {
    status: null,
    durationMs: 0,
    error: 'sender_failed',
    response: null,
    retryAfterMs: null,
  };
}
