import { StorageUnavailableError } from '@latchhook/core/storage';
import { readSqlError } from './sql-error.ts';

/** The SQLSTATEs for a missing schema, function, table or column. */
const NOT_MIGRATED = new Set(['3F000', '42883', '42P01', '42703']);

/**
 * Rethrows any failure of PostgreSQL or of the connection as the one error of the storage contracts: for a promise's
 * `catch`.
 *
 * Security: the cause keeps only the message. `detail` and `where` of a server error quote the row, which may contain
 * personal data that must not reach a log.
 */
export function rejectUnavailable(error: unknown): never {
  if (error instanceof StorageUnavailableError) throw error;
  const code = readSqlError(error)?.code ?? '';
  // If several addresses of a host have failed, the error has a code but no message.
  const message = (error instanceof Error && error.message) || code || 'unknown error';
  const advice = NOT_MIGRATED.has(code) ? ' Has `migrate` been run on this schema?' : '';
  throw new StorageUnavailableError(`PostgreSQL is unavailable: ${message}.${advice}`, {
    cause: new Error(message),
  });
}
