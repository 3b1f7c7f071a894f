import type { LeaseDeps } from './retry-while-leased.ts';

/**
 * Settles when the attempts in flight have, or when the longest lease they can hold is over: whatever hangs for longer
 * is taken over by another process.
 */
export async function waitAtMostLease(
  { timers, context }: LeaseDeps,
  work: Promise<unknown>,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = timers.after(context.policy.leaseMs, resolve);
    const end = (): void => {
      cancel();
      resolve();
    };
    work.then(end, end);
  });
}
