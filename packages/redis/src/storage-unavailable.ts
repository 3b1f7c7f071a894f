import { StorageUnavailableError } from '@latchhook/core/storage';

/**
 * Turns any failure of Redis, or on the way to it, into the one error that the contracts know.
 *
 * Security: the cause keeps only the message. Errors of ioredis carry the command that failed with all its arguments,
 * and personal data has no place in a log.
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
