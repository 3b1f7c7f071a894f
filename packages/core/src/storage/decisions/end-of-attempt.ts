import { ATTEMPTS_KEPT, type ListedAttempt } from '../attempt-record.ts';
import type { DeadReason } from '../delivery-record.ts';
import type { AttemptEnd, AttemptOutcome } from '../delivery-store.ts';
import type { DisabledReason } from '../webhook-store.ts';

/** What a delivery is, as far as its attempts decide it. */
export interface DeliveryProgress {
  /** `waiting`: for its first try, a retry, or the end of an attempt. */
  readonly state: 'waiting' | 'delivered' | 'failed';
  readonly reason: DeadReason | null;
  /** The number of the last attempt. */
  readonly attempt: number;
  /** Failed tries since it was published, or sent again. */
  readonly failures: number;
  /** Leases in a row that were lost. */
  readonly lost: number;
  /** Attempts in a row that were not counted. */
  readonly notCounted: number;
  /** Those that have ended, the newest `ATTEMPTS_KEPT`, oldest first. */
  readonly attempts: readonly ListedAttempt[];
}

/** A delivery that was never tried. */
export const UNTRIED: DeliveryProgress = {
  state: 'waiting',
  reason: null,
  attempt: 0,
  failures: 0,
  lost: 0,
  notCounted: 0,
  attempts: [],
};

/** What a delivery becomes. */
export interface ProgressChange {
  readonly progress: DeliveryProgress;
  /** When it is due again, ms from now; `null`: it has ended. */
  readonly delayMs: number | null;
}

/** Decides what becomes of a delivery whose attempt has ended. */
export function endAttempt(
  before: DeliveryProgress,
  ended: ListedAttempt,
  outcome: AttemptOutcome,
): ProgressChange {
  const attempts = [...before.attempts, ended].slice(-ATTEMPTS_KEPT);
  const progress = { ...before, attempt: ended.attempt, lost: 0, attempts };
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

/** Decides what becomes of a delivery whose lease was lost: its worker has died, or stood still. */
export function loseAttempt(
  before: DeliveryProgress,
  lost: Pick<ListedAttempt, 'attempt' | 'startedAtMs'>,
  limits: { readonly leaseMs: number; readonly maxStalledAttempts: number },
): ProgressChange {
  const ended = { ...lost, status: null, durationMs: limits.leaseMs, error: 'lost' };
  const attempts = [...before.attempts, ended].slice(-ATTEMPTS_KEPT);
  const progress = { ...before, attempt: lost.attempt, lost: before.lost + 1, attempts };
  if (progress.lost < limits.maxStalledAttempts) return { progress, delayMs: 0 };
  return { progress: { ...progress, state: 'failed', reason: 'poison' }, delayMs: null };
}

/** A delivery that gets all of its tries again. */
export function startOver({ attempt, attempts }: DeliveryProgress): DeliveryProgress {
  return { ...UNTRIED, attempt, attempts };
}

/** An attempt that was sent. */
export type SentAttempt = Extract<AttemptEnd, { readonly result: unknown }>;

/**
 * What an attempt comes to where its webhook has `url` by now: a failure at a former one is not counted, and says
 * nothing of the new one. `isMoved`: that is so.
 */
export function endedAt(
  sent: SentAttempt,
  url: string,
): SentAttempt & { readonly isMoved: boolean } {
  const isMoved = sent.outcome.kind !== 'delivered' && sent.url !== url;
  if (!isMoved) return { ...sent, isMoved };
  return { ...sent, isMoved, outcome: { kind: 'not_counted', delayMs: 0 }, backoffMs: 0 };
}

/** An attempt that ended, as far as it decides what becomes of its webhook. */
export interface WebhookFailure {
  /** When the present series of failures began, ms; `null`: with this one. */
  readonly failingSinceMs: number | null;
  readonly createdAtMs: number;
  readonly outcome: AttemptOutcome;
  readonly disableAfterMs: number;
}

/**
 * Why a failed attempt disables its webhook: its receiver said 410; or it has had nothing but failures for so long, and
 * a delivery is given up or one fails that was published as long ago. `null`: it does not.
 */
export function disabledBy(
  { failingSinceMs, createdAtMs, outcome, disableAfterMs }: WebhookFailure,
  nowMs: number,
): DisabledReason | null {
  if (outcome.kind === 'failed' && outcome.reason === 'gone') return 'gone';
  const isLong = (sinceMs: number): boolean => nowMs - sinceMs >= disableAfterMs;
  const isFailing = isLong(failingSinceMs ?? nowMs);
  const isOver = outcome.kind === 'failed' || isLong(createdAtMs);
  return isFailing && isOver ? 'failing' : null;
}
