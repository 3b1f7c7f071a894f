import { StorageUnavailableError } from '@latchhook/core';
import { readSqlError } from './sql-error.ts';

/** SQLSTATE: no such schema, function or table. */
const NOT_MIGRATED = new Set(['3F000', '42883', '42P01']);

/**
 * Whatever PostgreSQL, or the way to it, failed with, as the one error that the contracts know.
 *
 * Security: the cause keeps the message alone. Errors of the server quote the row that they are about in
 * `detail` and `where`, and that holds personal data and has no place in a log.
 */
function storageUnavailable(error: unknown): StorageUnavailableError {
  if (error instanceof StorageUnavailableError) return error;
  const code = readSqlError(error)?.code ?? '';
  // Where several addresses of a host were tried, the error has a code alone.
  const message = (error instanceof Error && error.message) || code || 'unknown error';
  const advice = NOT_MIGRATED.has(code) ? ' Has `migrate` been run on this schema?' : '';
  return new StorageUnavailableError(`PostgreSQL is unavailable: ${message}.${advice}`, {
    cause: new Error(message),
  });
}

/** For a promise's `catch`. */
export function rejectUnavailable(error: unknown): never {
  throw storageUnavailable(error);
}
