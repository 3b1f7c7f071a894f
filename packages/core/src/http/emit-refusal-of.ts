import { AuthError, serverFault } from '../errors.ts';
import type { SecurityEvent } from '../ports/telemetry.ts';

/**
 * What a client is told of whatever was thrown while it was answered. A fault becomes an event here, but for one
 * of an adapter: its guard has told of it by then, and what it throws is `temporarily_unavailable`.
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
