import { AuthError } from '@latchhook/core';
import type { DeliveryContext } from '@latchhook/core/delivery';

/** Reports what a call of the store failed with, unless the boundary around it has. */
export function emitUnreported(emit: DeliveryContext['emit'], error: unknown): void {
  if (!(error instanceof AuthError)) emit({ type: 'fault', where: 'storage', error });
}
