import type { DeliveryContext } from '@latchhook/core/delivery';
import type { SendError } from '../send/send-result.ts';
import type { Started } from './make-attempt.ts';
import type { DeliveryRun } from './name-of-run.ts';

/** The errors in the log of attempts that failed through a fault of ours, or that nobody ended. */
const OURS: ReadonlySet<string | null> = new Set<SendError | 'lost'>(['sender_failed', 'lost']);

/**
 * How many attempts in a row, right before this one, failed through a fault of ours or were lost, as far back as the
 * log goes. It is not read if there can be none. Attempts from before a resend count too: a fault that recurs at once
 * has lasted since then. Call it only if this attempt is another such fault, since reading the log is one more call.
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
    // The call boundary has reported it. A pause that is too long does less harm, since our faults usually last.
    return uncounted;
  }
}
