import { StorageUnavailableError } from '@latchhook/core/storage';
import { ALL_MIGRATIONS } from './migrations.ts';
import { checkedPool, type MysqlPool } from './mysql-pool.ts';
import { MysqlSession } from './mysql-session.ts';
import { COMMIT, NO_LIMIT, PROCEDURES } from './mysql-statements.ts';

/** How long `migrate` waits while another `migrate` has the lock, s. */
const LOCK_SECONDS = 30;

/** A hash, because a lock name has at most 64 characters. Not by `MD5`, which MySQL 9.6 no longer has. */
const LOCK_NAME = "CONCAT('latchhook.', LEFT(SHA2(DATABASE(), 256), 32))";

const CREATE_MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS latchhook_migrations (
  number INT PRIMARY KEY,
  name VARCHAR(128) NOT NULL,
  applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
) ENGINE = InnoDB CHARACTER SET ascii COLLATE ascii_bin`;

/**
 * Migrates the tables of the pool's database to the state that this version of the package needs. Run it in a deploy,
 * before the processes of the new version start, with a user that may create tables.
 *
 * Also creates missing procedures, for example after a restore from a dump without routines.
 *
 * Atomicity: none because MySQL commits each change of a table separately. Idempotency: run it any number of times, in
 * any number of processes, which migrate one at a time; it continues an interrupted migration. It changes nothing if a
 * later version has migrated.
 *
 * @throws {ConfigError} `options_invalid`
 * @throws {StorageUnavailableError} if MySQL rejects a statement or cannot be reached, or if another `migrate` has the
 *   lock for half a minute
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
  const session = await MysqlSession.open(checkedPool('migrate', pool));
  let isDone = false;
  try {
    const [[isLocked] = []] = await session.query(`SELECT GET_LOCK(${LOCK_NAME}, ${LOCK_SECONDS})`);
    if (Number(isLocked) !== 1) throw new StorageUnavailableError('Another migrate is running.');
    await session.query(CREATE_MIGRATIONS_TABLE);
    await applyMissingMigrations(session);
    await createMissingProcedures(session);
    await session.query(`SELECT RELEASE_LOCK(${LOCK_NAME})`);
    isDone = true;
  } finally {
    // Destroying the connection releases the lock.
    if (isDone) session.release();
    else session.destroy();
  }
}

async function applyMissingMigrations(session: MysqlSession): Promise<void> {
  const rows = await session.query(`SELECT number FROM latchhook_migrations ${NO_LIMIT}`);
  const applied = rows.map(([number]) => Number(number));
  for (const { number, name, statements } of ALL_MIGRATIONS) {
    if (applied.includes(number)) continue;
    for (const statement of statements) await session.query(statement);
    await session.query(
      `INSERT INTO latchhook_migrations (number, name) VALUES (${number}, '${name}')`,
    );
    // The host may have turned autocommit off.
    await session.query(COMMIT);
  }
}

/** Called even if all migrations are applied because the database may be restored from a dump without procedures. */
async function createMissingProcedures(session: MysqlSession): Promise<void> {
  const rows = await session.query(
    `SELECT routine_name FROM information_schema.routines WHERE routine_schema = DATABASE() ${NO_LIMIT}`,
  );
  const names = new Set(rows.map(([name]) => String(name)));
  for (const [name, text] of Object.entries(PROCEDURES)) {
    if (!names.has(name)) await session.query(text);
  }
}
