import { setTimeout as pause } from 'node:timers/promises';
import { type CallDeadline, StorageUnavailableError } from '@latchhook/core/storage';

const TRY_AGAIN_MS = 1;

/**
 * Makes the attempt, and repeats it while another process has the file locked.
 *
 * @throws {StorageUnavailableError} for any other error, and when the deadline has passed
 */
export async function unlessLocked<T>(attempt: () => T, deadline: CallDeadline): Promise<T> {
  // Checked before each attempt: what may have been answered with 503 by now must not happen after all.
  while (!deadline.passed) {
    try {
      return attempt();
    } catch (error) {
      if (!isLocked(error)) throw unavailable(error);
    }
    await pause(TRY_AGAIN_MS);
  }
  throw unavailable(new Error('the file stays locked'));
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

function unavailable(error: unknown): StorageUnavailableError {
  const message = error instanceof Error ? error.message : String(error);
  return new StorageUnavailableError(`SQLite is unavailable: ${message}`, { cause: error });
}
