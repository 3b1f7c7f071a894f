import type { DeliveryContext } from '@latchhook/core';
import type { SendError } from '../send/send-result.ts';
import type { Started } from './make-attempt.ts';
import type { DeliveryRun } from './name-of-run.ts';

/** What is logged of an attempt that failed through a fault of ours, or that nobody ended. */
const OURS: ReadonlySet<string | null> = new Set<SendError | 'lost'>(['sender_failed', 'lost']);

/**
 * How many attempts in a row, right before this one, failed through a fault of ours or were lost. The log tells, as far
 * back as it goes; that there were none shows without it. Attempts from before a resend count too: a fault that is met
 * again at once has lasted since then. Ask only where this attempt is another such fault, since the log is one more call.
 */
export async function faultsBefore(
  { deliveries }: Pick<DeliveryContext, 'deliveries'>,
  run: DeliveryRun,
  { attempt, triesBefore }: Pick<Started, 'attempt' | 'triesBefore'>,
): Promise<number> {
  const uncounted = attempt - 1 - triesBefore;
  if (uncounted === 0) return 0;
  try {
    const attempts = (await deliveries.find(run))?.attempts ?? [];
    return attempts.length - 1 - attempts.findLastIndex(({ error }) => !OURS.has(error));
  } catch {
    // Its guard has reported it. Too long a pause is the lesser evil: faults of ours mostly last.
    return uncounted;
  }
}
