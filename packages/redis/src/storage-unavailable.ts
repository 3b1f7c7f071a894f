import { StorageUnavailableError } from '@latchhook/core/storage';

/**
 * Rethrows any failure of Redis or of the connection as the one error of the storage contracts: for a promise's
 * `catch`.
 *
 * Security: the cause keeps only the message. An error of ioredis has the failed command with all its arguments, which
 * may contain personal data that must not reach a log.
 */
export function rejectUnavailable(error: unknown): never {
  if (error instanceof StorageUnavailableError) throw error;
  const message = error instanceof Error ? error.message : 'unknown error';
  throw new StorageUnavailableError(`Redis is unavailable: ${message}`, {
    cause: new Error(message),
  });
}
