import assert from 'node:assert/strict';
import type {
  CompleteOutcome,
  CreateSessionOutcome,
  ReserveOutcome,
  RotateOutcome,
  SessionRecord,
  SessionRef,
  Storage,
} from '@latchhook/core/storage';
import { rotateRequest } from '../samples/login-samples.ts';

/** Counts the outcomes by kind. */
export function tally(outcomes: readonly { readonly outcome: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** The session of an outcome, which has to be the expected one. */
export function expectSession(
  answer: CreateSessionOutcome | RotateOutcome | CompleteOutcome,
  expected: 'created' | 'rotated' | 'replayed' | 'rolled_forward' | 'completed',
): SessionRecord {
  assert.equal(answer.outcome, expected);
  if ('session' in answer) return answer.session;
  assert.fail(`${expected} without a session`);
}

export function expectReservation(
  answer: ReserveOutcome,
): Extract<ReserveOutcome, { readonly outcome: 'reserved' }> {
  if (answer.outcome === 'reserved') return answer;
  assert.fail(`expected the attempt to be reserved, not ${answer.outcome}`);
}

export function expectLock(
  answer: ReserveOutcome,
): Extract<ReserveOutcome, { readonly outcome: 'locked' }> {
  if (answer.outcome === 'locked') return answer;
  assert.fail(`expected the factor to be locked, not ${answer.outcome}`);
}

/** An expired session may be answered as such, or be forgotten already. */
export function assertExpired(answer: RotateOutcome): void {
  assert.ok(['expired', 'unknown'].includes(answer.outcome), `expired, not ${answer.outcome}`);
}

/** Asserts that the session is over by every look: at its newest token, at the predecessor, in the list. */
export async function assertOver(
  { sessions }: Storage,
  ref: SessionRef,
  newestGeneration: number,
): Promise<void> {
  assert.equal((await sessions.rotate(rotateRequest(newestGeneration, ref))).outcome, 'revoked');
  assert.equal(
    (await sessions.rotate(rotateRequest(newestGeneration - 1, ref))).outcome,
    'revoked',
  );
  assert.equal(await sessions.isLive(ref), false);
  const listed = await sessions.list(ref.userId);
  assert.deepEqual(
    listed.filter(({ sessionId }) => sessionId === ref.sessionId),
    [],
  );
}
