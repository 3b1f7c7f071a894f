import { AuthError, serverFault } from '../errors.ts';
import { emitFaultOf } from '../faults/emit-fault-of.ts';
import type { SecurityEvent } from '../ports/security-events.ts';

/** Turns any error of a request into the rejection to answer. Emits the fault, if it is one. */
export function emitRejectionOf(error: unknown, emit: (event: SecurityEvent) => void): AuthError {
  emitFaultOf(error, emit);
  return error instanceof AuthError ? error : serverFault({ cause: error });
}
