import type { AttemptOutcome, ClaimedAttempt } from '@latchhook/core/storage';
import { decideVerdict } from '../runs/decide-verdict.ts';
import type { SendResult } from '../send/send-result.ts';

/**
 * Decides what an attempt means for its delivery.
 *
 * @param random - from 0 up to 1
 */
export function decideOutcome(
  result: SendResult,
  { failures, notCounted }: Pick<ClaimedAttempt, 'failures' | 'notCounted'>,
  random: () => number,
): AttemptOutcome {
  const before = { triesBefore: failures, faultsBefore: notCounted };
  const verdict = decideVerdict(result, before, random);
  switch (verdict.kind) {
    case 'excused':
      return { kind: 'not_counted', delayMs: verdict.delayMs };
    case 'dead':
      return { kind: 'failed', reason: verdict.reason };
    default:
      return verdict;
  }
}
