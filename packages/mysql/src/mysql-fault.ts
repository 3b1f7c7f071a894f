import { StorageUnavailableError } from '@latchhook/core/storage';

/** The server has rolled back, or refused to wait any longer, in favour of other transactions. */
const CONFLICTS: ReadonlySet<unknown> = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CHECKREAD',
]);

/**
 * A failure of the server, or on the way to it.
 *
 * Security: only the message is kept. Errors of mysql2 have the statement, too.
 */
export class MysqlFault extends StorageUnavailableError {
  /** Whether other transactions were in the way. */
  readonly isConflict: boolean;
  /** Whether the connection is of no more use. */
  readonly isConnectionLost: boolean;

  constructor(error: unknown) {
    const { message, code, fatal } = Object(error) as DriverError;
    const text = String(message || code || 'unknown error').replace(/\.$/, '');
    const advice = code === 'ER_NO_SUCH_TABLE' ? ' Has `migrate` been run on this database?' : '';
    super(`MySQL is unavailable: ${text}.${advice}`, { cause: new Error(text) });
    this.isConflict = CONFLICTS.has(code);
    this.isConnectionLost = fatal === true;
  }
}

interface DriverError {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly fatal?: unknown;
}
