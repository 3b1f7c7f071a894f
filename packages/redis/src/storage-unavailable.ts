import { StorageUnavailableError } from '@latchhook/core';

/**
 * Whatever Redis, or the way to it, failed with, as the one error that the contracts know.
 *
 * Security: the cause keeps the message alone. Errors of ioredis carry the command that failed with all
 * its arguments, which hold personal data and have no place in a log.
 */
function storageUnavailable(error: unknown): StorageUnavailableError {
  if (error instanceof StorageUnavailableError) return error;
  const message = error instanceof Error ? error.message : 'unknown error';
  return new StorageUnavailableError(`Redis is unavailable: ${message}`, {
    cause: new Error(message),
  });
}

/** For a promise's `catch`. */
export function rejectUnavailable(error: unknown): never {
  throw storageUnavailable(error);
}
