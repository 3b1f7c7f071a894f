import { AuthError, type DeliveryContext, StorageUnavailableError } from '@latchhook/core';

/** Tells of a fault of the engine. */
export type FaultReporter = (error: unknown) => void;

export function createFaultReporter({ emit }: Pick<DeliveryContext, 'emit'>): FaultReporter {
  return (error) => emit({ type: 'fault', where: 'delivery', error });
}

/** Whether whoever guards the store, or the queue, has told of it already: it was away. All else is a mistake of ours. */
export function isTold(error: unknown): boolean {
  return error instanceof AuthError || error instanceof StorageUnavailableError;
}
