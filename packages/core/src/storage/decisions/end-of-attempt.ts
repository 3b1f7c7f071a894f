import { ATTEMPTS_KEPT, type ListedAttempt } from '../attempt-record.ts';
import type { DeadReason } from '../delivery-record.ts';
import type { AttemptEnd, AttemptOutcome } from '../delivery-store.ts';
import type { DisabledReason } from '../webhook-store.ts';

/** The part of a delivery's state that depends on its attempts. */
export interface DeliveryProgress {
  /** `waiting`: for its first attempt, a retry, or the end of an attempt. */
  readonly state: 'waiting' | 'delivered' | 'failed';
  readonly reason: DeadReason | null;
  /** The number of the last attempt. */
  readonly attempt: number;
  /** Failed attempts since the delivery was published or redelivered. */
  readonly failures: number;
  /** Expired leases in a row. */
  readonly stalled: number;
  /** Attempts in a row that were not counted. */
  readonly notCounted: number;
  /** The last `ATTEMPTS_KEPT` attempts that have ended, oldest first. */
  readonly attempts: readonly ListedAttempt[];
}

/** The progress of a delivery without attempts. */
export const UNTRIED: DeliveryProgress = {
  state: 'waiting',
  reason: null,
  attempt: 0,
  failures: 0,
  stalled: 0,
  notCounted: 0,
  // Frozen, because lists return it.
  attempts: Object.freeze([]),
};

/** The progress of a delivery that has expired before its first attempt, because too many newer ones were waiting. */
export const EXPIRED: DeliveryProgress = { ...UNTRIED, state: 'failed', reason: 'expired' };

/** The new progress of a delivery. */
export interface ProgressChange {
  readonly progress: DeliveryProgress;
  /** When the delivery is due again, ms from now; `null`: it has ended. */
  readonly delayMs: number | null;
}

/** Decides the progress of a delivery whose attempt has ended. */
export function endAttempt(
  progressBefore: DeliveryProgress,
  endedAttempt: ListedAttempt,
  outcome: AttemptOutcome,
): ProgressChange {
  const attempts = [...progressBefore.attempts, endedAttempt].slice(-ATTEMPTS_KEPT);
  const progress = { ...progressBefore, attempt: endedAttempt.attempt, stalled: 0, attempts };
  switch (outcome.kind) {
    case 'delivered':
      return { progress: { ...progress, state: 'delivered' }, delayMs: null };
    case 'failed': {
      const { reason } = outcome;
      return { progress: { ...progress, state: 'failed', reason }, delayMs: null };
    }
    case 'retry': {
      const failures = progress.failures + 1;
      return { progress: { ...progress, failures, notCounted: 0 }, delayMs: outcome.delayMs };
    }
    case 'not_counted': {
      const notCounted = progress.notCounted + 1;
      return { progress: { ...progress, notCounted }, delayMs: outcome.delayMs };
    }
  }
}

/** Decides the progress of a delivery whose lease has expired: its worker has crashed or stalled. */
export function endStalledAttempt(
  progressBefore: DeliveryProgress,
  stalledAttempt: Pick<ListedAttempt, 'attempt' | 'startedAtMs'>,
  limits: { readonly leaseMs: number; readonly maxStalledAttempts: number },
): DeliveryProgress {
  const endedAttempt = {
    ...stalledAttempt,
    status: null,
    durationMs: limits.leaseMs,
    error: 'lost',
  };
  const attempts = [...progressBefore.attempts, endedAttempt].slice(-ATTEMPTS_KEPT);
  const { attempt } = stalledAttempt;
  const progress = { ...progressBefore, attempt, stalled: progressBefore.stalled + 1, attempts };
  if (progress.stalled < limits.maxStalledAttempts) return progress;
  return { ...progress, state: 'failed', reason: 'poison' };
}

/** The progress of a delivery that is redelivered: it gets all of its attempts again. */
export function startOver({ attempt, attempts }: DeliveryProgress): DeliveryProgress {
  return { ...UNTRIED, attempt, attempts };
}

/** An attempt that was sent. */
export type SentAttempt = Extract<AttemptEnd, { readonly result: unknown }>;

/**
 * Adjusts the outcome of an attempt to the current `url` of its webhook. A failure at a former URL is not counted,
 * because it says nothing about the current URL. Then `isMoved` is `true`.
 */
export function adjustToCurrentUrl(
  sent: SentAttempt,
  url: string,
): { readonly isMoved: boolean; readonly adjusted: SentAttempt } {
  const isMoved = sent.outcome.kind !== 'delivered' && sent.url !== url;
  if (!isMoved) return { isMoved, adjusted: sent };
  const outcome = { kind: 'not_counted', delayMs: 0 } as const;
  return { isMoved, adjusted: { ...sent, outcome, backoffMs: 0 } };
}

/** A failed attempt, with the data that decides whether it disables its webhook. */
export interface WebhookFailure {
  /** When the current series of failures began, ms; `null`: with this attempt. */
  readonly failingSinceMs: number | null;
  readonly createdAtMs: number;
  readonly outcome: AttemptOutcome;
  readonly disableAfterMs: number;
}

/**
 * The reason for which a failed attempt disables its webhook, or `null`. `gone`: the receiver responded 410. `failing`:
 * the webhook has had only failures for `disableAfterMs`, and the delivery has no attempt left or was published at
 * least `disableAfterMs` ago.
 */
export function disabledBy(
  { failingSinceMs, createdAtMs, outcome, disableAfterMs }: WebhookFailure,
  nowMs: number,
): DisabledReason | null {
  if (outcome.kind === 'failed' && outcome.reason === 'gone') return 'gone';
  const isLongAgo = (sinceMs: number): boolean => nowMs - sinceMs >= disableAfterMs;
  const isWebhookFailing = isLongAgo(failingSinceMs ?? nowMs);
  const isDeliveryHopeless = outcome.kind === 'failed' || isLongAgo(createdAtMs);
  return isWebhookFailing && isDeliveryHopeless ? 'failing' : null;
}
