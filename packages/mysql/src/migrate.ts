import { CallDeadline, StorageUnavailableError } from '@latchhook/core/storage';
import { ConnectionLease } from './connection-lease.ts';
import { ALL_MIGRATIONS } from './migrations.ts';
import { checkedPool, type MysqlPool } from './mysql-pool.ts';

/** How long one `migrate` waits for another one, s. */
const TURN_SECONDS = 30;

const TURN = "CONCAT('latchhook.', MD5(DATABASE()))";

const MIGRATIONS = `CREATE TABLE IF NOT EXISTS latchhook_migrations (
  number INT PRIMARY KEY,
  name VARCHAR(128) NOT NULL,
  applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
) ENGINE = InnoDB CHARACTER SET ascii COLLATE ascii_bin`;

/**
 * Brings the tables of the pool's database to what this version of the package needs. Run it in a deploy, before the
 * processes of the new version start, with a user that may create tables.
 *
 * Atomicity: none, as MySQL commits each change of a table by itself; one that was interrupted goes on when it is run
 * again. Idempotency: it may be run any number of times, by any number of processes at once, which take turns. If a
 * later version has migrated, it changes nothing.
 *
 * @throws {ConfigError} `options_invalid`
 * @throws {StorageUnavailableError} where MySQL refuses, cannot be reached, or another `migrate` runs for half a minute
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
  const deadline = new CallDeadline('MySQL', 1000 * TURN_SECONDS);
  const lease = await ConnectionLease.take(checkedPool('migrate', pool), deadline);
  try {
    const [[isOurs] = []] = await lease.query(`SELECT GET_LOCK(${TURN}, ${TURN_SECONDS})`);
    if (Number(isOurs) !== 1) throw new StorageUnavailableError('Another migrate is running.');
    await lease.query(MIGRATIONS);
    await applyMissing(lease);
    await lease.query(`SELECT RELEASE_LOCK(${TURN})`);
    lease.end();
  } finally {
    // A lock ends with its connection.
    lease.discard();
  }
}

async function applyMissing(lease: ConnectionLease): Promise<void> {
  const [[last] = []] = await lease.query('SELECT MAX(number) FROM latchhook_migrations');
  for (const { number, name, statements } of ALL_MIGRATIONS) {
    if (number <= Number(last)) continue;
    for (const statement of statements) await lease.query(statement);
    await lease.query(
      `INSERT INTO latchhook_migrations (number, name) VALUES (${number}, '${name}')`,
    );
    // A host may have turned autocommit off.
    await lease.query('COMMIT');
  }
}
