import { StorageUnavailableError } from '@latchhook/core/storage';

/**
 * Converts any failure of Redis or of the connection to it to the one error of the storage contracts.
 *
 * Security: the cause keeps only the message. An error of ioredis has the failed command with all its arguments, which
 * may be personal data that must not reach a log.
 */
function storageUnavailable(error: unknown): StorageUnavailableError {
  if (error instanceof StorageUnavailableError) return error;
  const message = error instanceof Error ? error.message : 'unknown error';
  return new StorageUnavailableError(`Redis is unavailable: ${message}`, {
    cause: new Error(message),
  });
}

/** Rethrows any failure as a {@link StorageUnavailableError}: for a promise's `catch`. */
export function rejectUnavailable(error: unknown): never {
  throw storageUnavailable(error);
}
