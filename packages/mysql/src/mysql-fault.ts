import {
  StorageUnavailableError,
  type StoreFindingCode,
  uncheckedFields,
} from '@latchhook/core/storage';

/** The server has rolled the transaction back, or has stopped waiting for a lock, in favour of other transactions. */
const CONFLICTS: ReadonlySet<unknown> = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CHECKREAD',
]);

/** Tables or procedures are missing, or are of another version. */
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
 * A failure of the server or of the connection to it.
 *
 * Security: has only the message of the error because errors of mysql2 contain the statement.
 */
export class MysqlFault extends StorageUnavailableError {
  /** Whether the transaction had a conflict with another transaction. */
  readonly isConflict: boolean;
  /** Whether the connection is unusable. */
  readonly isConnectionLost: boolean;
  /** Whether it is certain that the statement had no effect. Otherwise it is unknown whether a commit was applied. */
  readonly isRejected: boolean;
  /** The finding for `auth.ready()`. */
  readonly finding: StoreFindingCode | undefined;

  constructor(error: unknown) {
    const { message, code, fatal } = uncheckedFields<DriverError>(error);
    const text = String(message || code || 'unknown error').replace(/\.$/, '');
    const isUnmigrated = NOT_MIGRATED.has(code);
    const advice = isUnmigrated ? ' Has `migrate` been run on this database?' : '';
    super(`MySQL is unavailable: ${text}.${advice}`, { cause: new Error(text) });
    if (isUnmigrated) this.finding = 'storage_not_migrated';
    else if (NOT_PERMITTED.has(code)) this.finding = 'storage_not_permitted';
    this.isConflict = CONFLICTS.has(code);
    this.isConnectionLost = fatal === true;
    // Only Latchhook's procedures raise this signal, after they have rolled back.
    this.isRejected = this.finding !== undefined || code === 'ER_SIGNAL_EXCEPTION';
  }
}

interface DriverError {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly fatal?: unknown;
}
