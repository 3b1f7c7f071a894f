import { AuthError, serverFault } from '../errors.ts';
import { emitFaultOf } from '../faults/emit-fault-of.ts';
import type { SecurityEvent } from '../ports/security-events.ts';

/** Turns any error of a request into the `AuthError` for the client. If the error is a fault, emits it first. */
export function toAuthError(error: unknown, emit: (event: SecurityEvent) => void): AuthError {
  emitFaultOf(error, emit);
  return error instanceof AuthError ? error : serverFault({ cause: error });
}
