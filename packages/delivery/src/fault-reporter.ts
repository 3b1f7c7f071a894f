import { AuthError } from '@latchhook/core';
import type { DeliveryContext } from '@latchhook/core/delivery';
import { StorageUnavailableError } from '@latchhook/core/storage';

/** Reports a fault of the engine. */
export type FaultReporter = (error: unknown) => void;

export function createFaultReporter({ emit }: Pick<DeliveryContext, 'emit'>): FaultReporter {
  return (error) => emit({ type: 'fault', where: 'delivery', error });
}

/** Whether the error was reported where it arose, since store or queue were unavailable. Any other is a bug of ours. */
export function isReported(error: unknown): boolean {
  return error instanceof AuthError || error instanceof StorageUnavailableError;
}
