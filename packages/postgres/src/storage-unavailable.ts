import { StorageUnavailableError } from '@latchhook/core/storage';
import { readSqlError } from './sql-error.ts';

/** SQLSTATE: no such schema, function or table. */
const NOT_MIGRATED = new Set(['3F000', '42883', '42P01']);

/**
 * Turns any failure of PostgreSQL, or on the way to it, into the one error that the contracts know.
 *
 * Security: the cause keeps only the message. In `detail` and `where`, errors of the server quote the row that they are
 * about, and personal data has no place in a log.
 */
function storageUnavailable(error: unknown): StorageUnavailableError {
  if (error instanceof StorageUnavailableError) return error;
  const code = readSqlError(error)?.code ?? '';
  // If several addresses of a host were tried, the error has a code but no message.
  const message = (error instanceof Error && error.message) || code || 'unknown error';
  const advice = NOT_MIGRATED.has(code) ? ' Has `migrate` been run on this schema?' : '';
  return new StorageUnavailableError(`PostgreSQL is unavailable: ${message}.${advice}`, {
    cause: new Error(message),
  });
}

/** Rethrows any failure as a {@link StorageUnavailableError}: for a promise's `catch`. */
export function rejectUnavailable(error: unknown): never {
  throw storageUnavailable(error);
}
