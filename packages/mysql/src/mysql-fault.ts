import { StorageUnavailableError, type StoreFindingCode } from '@latchhook/core/storage';

/** The server has rolled back, or refused to wait any longer, in favour of other transactions. */
const CONFLICTS: ReadonlySet<unknown> = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CHECKREAD',
]);

/** Of no tables, or of those of another version. */
const NOT_MIGRATED: ReadonlySet<unknown> = new Set([
  'ER_NO_SUCH_TABLE',
  'ER_SP_DOES_NOT_EXIST',
  'ER_SP_WRONG_NO_OF_ARGS',
  'ER_BAD_FIELD_ERROR',
]);
const NOT_PERMITTED: ReadonlySet<unknown> = new Set([
  'ER_DBACCESS_DENIED_ERROR',
  'ER_TABLEACCESS_DENIED_ERROR',
  'ER_PROCACCESS_DENIED_ERROR',
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
  /** Whether the server has answered that it did not do what it was asked. */
  readonly isRejected: boolean;
  /** What `auth.ready()` reports. */
  readonly finding: StoreFindingCode | undefined;

  constructor(error: unknown) {
    const { message, code, fatal } = Object(error) as DriverError;
    const text = String(message || code || 'unknown error').replace(/\.$/, '');
    const isMigrated = !NOT_MIGRATED.has(code);
    const advice = isMigrated ? '' : ' Has `migrate` been run on this database?';
    super(`MySQL is unavailable: ${text}.${advice}`, { cause: new Error(text) });
    if (!isMigrated) this.finding = 'storage_not_migrated';
    else this.finding = NOT_PERMITTED.has(code) ? 'storage_not_permitted' : undefined;
    this.isConflict = CONFLICTS.has(code);
    this.isConnectionLost = fatal === true;
    // A signal is that of our own procedures, which roll back first.
    this.isRejected = this.finding !== undefined || code === 'ER_SIGNAL_EXCEPTION';
  }
}

interface DriverError {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly fatal?: unknown;
}
