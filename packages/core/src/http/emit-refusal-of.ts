import { AuthError, serverFault } from '../errors.ts';
import type { SecurityEvent } from '../ports/security-events.ts';

/**
 * The refusal for whatever was thrown while a client was being answered. Emits faults, except those of adapters: their
 * boundary has emitted them already, and throws `temporarily_unavailable`.
 */
export function emitRefusalOf(error: unknown, emit: (event: SecurityEvent) => void): AuthError {
  if (error instanceof AuthError) {
    const { where = 'host' } = error.details;
    if (error.code === 'server_error') emit({ type: 'fault', where, error });
    return error;
  }
  emit({ type: 'fault', where: 'internal', error });
  return serverFault({ cause: error });
}
