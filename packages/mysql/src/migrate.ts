import { StorageUnavailableError } from '@latchhook/core/storage';
import { ALL_MIGRATIONS } from './migrations.ts';
import { checkedPool, type MysqlPool } from './mysql-pool.ts';
import { MysqlSession } from './mysql-session.ts';
import { PROCEDURES } from './mysql-statements.ts';

/** How long one `migrate` waits for the lock of another one, s. */
const LOCK_SECONDS = 30;

const LOCK_NAME = "CONCAT('latchhook.', MD5(DATABASE()))";

const MIGRATIONS = `CREATE TABLE IF NOT EXISTS latchhook_migrations (
  number INT PRIMARY KEY,
  name VARCHAR(128) NOT NULL,
  applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
) ENGINE = InnoDB CHARACTER SET ascii COLLATE ascii_bin`;

/**
 * Migrates the tables of the pool's database to the state that this version of the package needs. Run it in a deploy,
 * before the processes of the new version start, with a user that may create tables.
 *
 * It also creates missing procedures, for example after a restore from a dump without routines.
 *
 * Atomicity: none, as MySQL commits each change of a table by itself; an interrupted migration continues when it is run
 * again. Idempotency: it may be run any number of times, by any number of processes, which run it one at a time. If a
 * later version has migrated, it changes nothing.
 *
 * @throws {ConfigError} `options_invalid`
 * @throws {StorageUnavailableError} where MySQL rejects a statement or cannot be reached, or another `migrate` runs for
 *   half a minute
 * @example
 * ```ts
 * import { migrate } from '@latchhook/mysql';
 * import { createPool } from 'mysql2/promise';
 *
 * const pool = createPool('mysql://owner@localhost/app');
 * await migrate(pool);
 * await pool.end();
 * ```
 */
export async function migrate(pool: MysqlPool): Promise<void> {
  const session = await MysqlSession.take(checkedPool('migrate', pool));
  let isDone = false;
  try {
    const [[isLocked] = []] = await session.query(`SELECT GET_LOCK(${LOCK_NAME}, ${LOCK_SECONDS})`);
    if (Number(isLocked) !== 1) throw new StorageUnavailableError('Another migrate is running.');
    await session.query(MIGRATIONS);
    await applyMissing(session);
    await createMissing(session);
    await session.query(`SELECT RELEASE_LOCK(${LOCK_NAME})`);
    isDone = true;
  } finally {
    // The lock ends with its connection, so that destroying the connection releases it.
    if (isDone) session.release();
    else session.destroy();
  }
}

async function applyMissing(session: MysqlSession): Promise<void> {
  const [[last] = []] = await session.query('SELECT MAX(number) FROM latchhook_migrations');
  for (const { number, name, statements } of ALL_MIGRATIONS) {
    if (number <= Number(last)) continue;
    for (const statement of statements) await session.query(statement);
    await session.query(
      `INSERT INTO latchhook_migrations (number, name) VALUES (${number}, '${name}')`,
    );
    // The host may have turned autocommit off.
    await session.query('COMMIT');
  }
}

/** Creates missing procedures even if all migrations are applied, as a dump has no procedures by default. */
async function createMissing(session: MysqlSession): Promise<void> {
  const found = await session.query(
    'SELECT routine_name FROM information_schema.routines WHERE routine_schema = DATABASE()',
  );
  const names = new Set(found.map(([name]) => String(name)));
  for (const [name, text] of Object.entries(PROCEDURES)) {
    if (!names.has(name)) await session.query(text);
  }
}
