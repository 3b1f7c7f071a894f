import { AuthError } from '@latchhook/core';
import type { DeliveryContext } from '@latchhook/core/delivery';

/** Emits an error of the store, unless `guardedStorage` has already emitted it: then it is an `AuthError`. */
export function emitUnreported(emit: DeliveryContext['emit'], error: unknown): void {
  if (!(error instanceof AuthError)) emit({ type: 'fault', where: 'storage', error });
}
