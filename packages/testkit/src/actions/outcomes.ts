import assert from 'node:assert/strict';
import type {
  CompleteOutcome,
  CreateSessionOutcome,
  ReserveOutcome,
  RotateOutcome,
  SessionRecord,
} from '@latchhook/core/storage';

/** Counts the outcomes by kind. */
export function tally(outcomes: readonly { readonly outcome: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** The session of a result that must have the expected outcome. */
export function expectSession(
  result: CreateSessionOutcome | RotateOutcome | CompleteOutcome,
  expected: 'created' | 'rotated' | 'replayed' | 'rolled_forward' | 'completed',
): SessionRecord {
  assert.equal(result.outcome, expected);
  if ('session' in result) return result.session;
  assert.fail(`${expected} without a session`);
}

export function expectReservation(
  result: ReserveOutcome,
): Extract<ReserveOutcome, { readonly outcome: 'reserved' }> {
  if (result.outcome === 'reserved') return result;
  assert.fail(`expected the attempt to be reserved, not ${result.outcome}`);
}

export function expectLock(
  result: ReserveOutcome,
): Extract<ReserveOutcome, { readonly outcome: 'locked' }> {
  if (result.outcome === 'locked') return result;
  assert.fail(`expected the factor to be locked, not ${result.outcome}`);
}

/** A storage may return `expired`, or have deleted the session already. */
export function assertExpired(result: RotateOutcome): void {
  assert.ok(['expired', 'unknown'].includes(result.outcome), `expired, not ${result.outcome}`);
}
