import { AuthError } from '../errors.ts';
import type { SecurityEvent } from '../ports/security-events.ts';

/**
 * Emits the fault that caused an error, if any. Use this once for each request, background step, or method that the
 * host calls, with the error that ended it: if parallel calls failed too, one event is enough.
 */
export function emitFaultOf(error: unknown, emit: (event: SecurityEvent) => void): void {
  if (!(error instanceof AuthError)) {
    emit({ type: 'fault', where: 'internal', error });
    return;
  }
  const { where } = error.details;
  // A `server_error` is the fault itself; the fault of a 503 is its cause.
  if (error.code === 'server_error') emit({ type: 'fault', where: where ?? 'host', error });
  else if (where !== undefined) emit({ type: 'fault', where, error: error.cause });
}
