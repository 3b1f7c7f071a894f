import { AuthError } from '../errors.ts';
import type { SecurityEvent } from '../ports/security-events.ts';

/**
 * Emits the fault that an error stands for, if any. Called once for each request, call of the host or step in the
 * background, with the error that ended it: parallel calls may have failed too, and one event says enough.
 */
export function emitFaultOf(error: unknown, emit: (event: SecurityEvent) => void): void {
  if (!(error instanceof AuthError)) {
    emit({ type: 'fault', where: 'internal', error });
    return;
  }
  const { where } = error.details;
  // A `server_error` is the fault itself; of a 503, the cause is.
  if (error.code === 'server_error') emit({ type: 'fault', where: where ?? 'host', error });
  else if (where !== undefined) emit({ type: 'fault', where, error: error.cause });
}
