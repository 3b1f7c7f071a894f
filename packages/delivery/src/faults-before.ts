import type { DeliveryContext } from '@latchhook/core';
import type { Started } from './make-attempt.ts';
import type { DeliveryRun } from './name-of-run.ts';
import type { SendError } from './send/send-result.ts';

/** What an attempt is logged with that failed by our fault, or that nobody ended. */
const OURS: ReadonlySet<string | null> = new Set<SendError | 'lost'>(['sender_failed', 'lost']);

/**
 * How many attempts right before this one failed by our fault, or were lost. The log knows, up to the attempts that it
 * keeps; the numbers alone know when there were none. Those right before the delivery was sent again count too: a fault
 * that is met at once has lasted since then. To be asked for a fault of ours alone, since the log is one more call.
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
    // It has been told of. Too long a pause is the lesser evil: what is our fault lasts, more often than not.
    return uncounted;
  }
}
