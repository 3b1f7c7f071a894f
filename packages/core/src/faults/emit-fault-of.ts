import { AuthError } from '../errors.ts';
import type { SecurityEvent } from '../ports/security-events.ts';

/**
 * Emits the fault that an error tells of, if it tells of one. Called once for each request, call of the host or step in
 * the background, with the error that it ended in: calls that it has made in parallel may have failed too, and one
 * event says as much as four.
 */
export function emitFaultOf(error: unknown, emit: (event: SecurityEvent) => void): void {
  if (!(error instanceof AuthError)) {
    emit({ type: 'fault', where: 'internal', error });
    return;
  }
  const { where } = error.details;
  if (error.code === 'server_error') emit({ type: 'fault', where: where ?? 'host', error });
  else if (where !== undefined) emit({ type: 'fault', where, error: error.cause });
}
