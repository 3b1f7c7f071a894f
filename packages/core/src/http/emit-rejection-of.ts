import { AuthError, serverFault } from '../errors.ts';
import { emitFaultOf } from '../faults/emit-fault-of.ts';
import type { SecurityEvent } from '../ports/security-events.ts';

/** The rejection for whatever was thrown while a client was being answered. Emits the fault, if it was one. */
export function emitRejectionOf(error: unknown, emit: (event: SecurityEvent) => void): AuthError {
  emitFaultOf(error, emit);
  return error instanceof AuthError ? error : serverFault({ cause: error });
}
