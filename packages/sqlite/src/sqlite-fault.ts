import {
  StorageUnavailableError,
  type StoreFindingCode,
  uncheckedFields,
} from '@latchhook/core/storage';

/** The primary result code of SQLite if another connection has the lock. */
const BUSY = 5;

/**
 * A failure of SQLite, or of the driver.
 *
 * Security: has only the message of the driver's error, because whatever else a driver adds must not reach a log.
 */
export class SqliteFault extends StorageUnavailableError {
  /** Whether another connection had the lock: nothing has changed, and the work may be retried. */
  readonly isBusy: boolean;
  /** The finding for `auth.ready()`. */
  readonly finding: StoreFindingCode | undefined;

  constructor(message: string, { isBusy, finding }: Pick<SqliteFault, 'isBusy' | 'finding'>) {
    super(`SQLite is unavailable: ${message}`, { cause: new Error(message) });
    this.isBusy = isBusy;
    this.finding = finding;
  }
}

export function sqliteFault(error: unknown): SqliteFault {
  const { message = 'unknown error', code, errcode } = uncheckedFields<DriverError>(error);
  return new SqliteFault(`${message}.${adviceOn(message)}`, {
    isBusy: isBusyCode(code, errcode),
    finding: findingIn(message),
  });
}

interface DriverError {
  readonly message?: string;
  /** In better-sqlite3: `SQLITE_BUSY`, `SQLITE_BUSY_RECOVERY` and others. */
  readonly code?: unknown;
  /** In `node:sqlite`: the extended result code. Its lowest byte is the primary result code. */
  readonly errcode?: unknown;
}

function isBusyCode(code: unknown, errcode: unknown): boolean {
  return String(code).startsWith('SQLITE_BUSY') || (Number(errcode) & 0xff) === BUSY;
}

function findingIn(message: string): StoreFindingCode | undefined {
  // The tables of another version may lack a column.
  if (/no such (table|column)|has no column/.test(message)) return 'storage_not_migrated';
  return message.includes('readonly database') ? 'storage_not_permitted' : undefined;
}

function adviceOn(message: string): string {
  if (findingIn(message) === 'storage_not_migrated')
    return ' Has `migrate` been run on this database?';
  if (message.includes('within a transaction')) {
    return ' The storage needs a connection of its own, which runs no other transactions.';
  }
  return '';
}
