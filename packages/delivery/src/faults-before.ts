import type { DeliveryContext } from '@latchhook/core';
import type { Started } from './make-attempt.ts';
import type { DeliveryRun } from './name-of-run.ts';
import type { SendError } from './send/send-result.ts';

/** What an attempt is logged with that failed by our fault. */
const OURS: SendError = 'sender_failed';

/**
 * How many attempts right before this one failed by our fault, or were lost: by the numbers, where the delivery is in its
 * first run. Those of a later run count on from the attempts of the run before it, of which `start` tells nothing; there it
 * is the log that knows, up to the attempts that it keeps. To be asked for a fault of ours alone: others need no such
 * number, and the log is one more call.
 */
export async function faultsBefore(
  { deliveries }: Pick<DeliveryContext, 'deliveries'>,
  run: DeliveryRun,
  { attempt, triesBefore }: Pick<Started, 'attempt' | 'triesBefore'>,
): Promise<number> {
  const uncounted = attempt - 1 - triesBefore;
  if (run.run === 1 || uncounted === 0) return uncounted;
  try {
    const attempts = (await deliveries.find(run))?.attempts ?? [];
    return attempts.length - 1 - attempts.findLastIndex(({ error }) => error !== OURS);
  } catch {
    // It has been told of. Too long a pause is the lesser evil: what is our fault lasts, more often than not.
    return uncounted;
  }
}
