import {
  AuthError,
  type DeliveryContext,
  monotonicMs,
  StorageUnavailableError,
} from '@latchhook/core';

/** How long the same fault is not told again, ms. */
const QUIET_MS = 60_000;
/** Faults that are remembered. Messages are of others' making, so their number has no other bound. */
const MAX_REMEMBERED = 100;

/** Of a message: no more is needed to tell one from another. */
const MAX_NAME_CHARS = 200;

/** Tells of a fault of the engine, once a minute where it is the same. */
export type FaultReporter = (error: unknown) => void;

/**
 * An outage fails every connection and every job at once, again and again: one event says as much as
 * thousands, and those who listen may well send mail.
 */
export function createFaultReporter({
  emit,
  clock,
}: Pick<DeliveryContext, 'emit' | 'clock'>): FaultReporter {
  const toldAtMs = new Map<string, number>();
  return (error) => {
    const name = nameOf(error);
    const nowMs = monotonicMs(clock);
    const lastMs = toldAtMs.get(name);
    if (lastMs !== undefined && nowMs - lastMs < QUIET_MS) return;
    if (toldAtMs.size >= MAX_REMEMBERED) toldAtMs.clear();
    toldAtMs.set(name, nowMs);
    emit({ type: 'fault', where: 'delivery', error });
  };
}

/** Whether whoever guards the store, or the queue, has told of it already: it was away. All else is a mistake of ours. */
export function isTold(error: unknown): boolean {
  return error instanceof AuthError || error instanceof StorageUnavailableError;
}

/** By code where there is one, and else without what differs each time: messages name jobs, ports and scripts. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const what =
    'code' in error
      ? String(error.code)
      : error.message.slice(0, MAX_NAME_CHARS).replace(/\S*\d\S*/g, '#');
  return `${error.name} ${what}`;
}
