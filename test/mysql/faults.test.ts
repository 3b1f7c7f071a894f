import { originOf, StorageUnavailableError } from '@latchhook/core/storage';
import { mysqlStorage } from '@latchhook/mysql';
import { describe, expect, it } from 'vitest';
import { HAS_MYSQL, isMariadb } from '../support/servers/mysql-databases.ts';
import { ADA, AMPLE_LIMITS, newSession, rotateRequest } from '../support/storage/login-samples.ts';
import { newMessage, register } from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { interruptedPool } from './interrupted-pool.ts';
import { openDatabase } from './open-database.ts';

/** A pool on which the first statement that begins with `statement` finds its connection killed. */
async function openKilledPool(statement: string) {
  const open = await openDatabase();
  const admin = open();
  let kills = 0;
  const pool = interruptedPool(open(), async (sql, id) => {
    if (kills > 0 || !sql.startsWith(statement)) return;
    kills += 1;
    await admin.query(`KILL ${id}`);
  });
  return { admin, pool, kills: () => kills };
}

describe.skipIf(!HAS_MYSQL)('a lost connection', () => {
  it.each([
    'CALL latchhook_begin',
    'SELECT r.row_key, CAST(r.value_json AS BINARY), r.indexes_json, r.expires_at_ms FROM latchhook_rows',
    'CALL latchhook_write_and_commit_until',
  ])(
    'before %s leaves no half-written transaction, and causes a retry unless the commit is uncertain',
    async (statement) => {
      const { admin, pool, kills } = await openKilledPool(statement);
      const patient = mysqlStorage({ pool: admin, deadlineMs: PATIENT_MS });
      const { accountId, webhookId } = await register(patient.webhooks, 'w1');
      const count = async () => {
        const [entries] = await admin.query('SELECT * FROM latchhook_index_entries');
        return (entries as unknown[]).length;
      };
      const entriesBefore = await count();
      const { deliveries } = mysqlStorage({ pool, deadlineMs: PATIENT_MS });
      const published = deliveries.publish(newMessage('m1'));
      // Without a reply to COMMIT, nobody knows whether the transaction has committed.
      const isUncertain = statement.includes('commit');
      if (isUncertain) await expect(published).rejects.toThrow(StorageUnavailableError);
      else expect(await published).toMatchObject({ outcome: 'published', deliveries: 1 });
      expect(kills()).toBe(1);
      const page = { limit: 9, after: null };
      const listed = await patient.deliveries.list({ accountId, webhookId }, page);
      expect(listed).toHaveLength(isUncertain ? 0 : 1);
      // The sort keys of the rows of the delivery, the webhook and the account.
      expect((await count()) - entriesBefore).toBe(isUncertain ? 0 : 5);
    },
  );

  it('before a commit makes the storage reject, and rolls back an earlier deletion', async () => {
    const { admin, pool, kills } = await openKilledPool('CALL latchhook_write_and_commit_until');
    const limited = { keyPrefix: 'logins', duration: 60 };
    const patient = mysqlStorage({ pool: admin, deadlineMs: PATIENT_MS }).limiters(limited);
    await patient.penalty('ada');
    const limiter = mysqlStorage({ pool, deadlineMs: PATIENT_MS }).limiters(limited);
    await expect(limiter.delete('ada')).rejects.toThrow(StorageUnavailableError);
    expect(kills()).toBe(1);
    expect(await patient.get('ada', [])).toMatchObject([{ consumedPoints: 1 }]);
  });

  it('is not returned to the pool within a transaction', async () => {
    const open = await openDatabase();
    const host = open({ connectionLimit: 1 });
    const other = await open().getConnection();
    const { sessions } = mysqlStorage({ pool: host, deadlineMs: 300 });
    await sessions.create(newSession('s1'), AMPLE_LIMITS);
    await other.query('START TRANSACTION');
    await other.query('SELECT * FROM latchhook_locks FOR UPDATE');
    await expect(sessions.rotate(rotateRequest(1))).rejects.toThrow(StorageUnavailableError);
    const [[row]] = (await host.query({
      sql: (await isMariadb())
        ? 'SELECT @@in_transaction'
        : 'SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = CONNECTION_ID()',
      rowsAsArray: true,
    })) as unknown as [[number[]]];
    expect(row).toEqual([0]);
    await other.query('ROLLBACK');
    other.release();
    const { sessions: later } = mysqlStorage({ pool: open(), deadlineMs: PATIENT_MS });
    expect(await later.rotate(rotateRequest(1))).toMatchObject({ outcome: 'rotated' });
  });
});

describe.skipIf(!HAS_MYSQL)('a MySQL that is down', () => {
  it('gets one connection attempt per call', async () => {
    const pool = (await openDatabase())();
    const rejected = { code: 'ECONNREFUSED', fatal: true };
    let connectionAttempts = 0;
    let isDown = false;
    const { sessions } = mysqlStorage({
      pool: {
        async getConnection() {
          connectionAttempts += 1;
          if (isDown) throw Object.assign(new Error('connect ECONNREFUSED'), rejected);
          return pool.getConnection();
        },
      },
    });
    await sessions.list(ADA);
    isDown = true;
    connectionAttempts = 0;
    await expect(sessions.list(ADA)).rejects.toThrow('MySQL is unavailable: connect ECONNREFUSED.');
    expect(connectionAttempts).toBe(1);
  });
});

describe.skipIf(!HAS_MYSQL)('a procedure that the user may not execute', () => {
  it.each([
    'latchhook_begin',
    'latchhook_put_and_commit_until',
    'latchhook_write_and_commit_until',
    'latchhook_find_rows',
  ])('is reported before the app starts if it is %s', async (name) => {
    const denied = Object.assign(new Error('execute command denied'), {
      code: 'ER_PROCACCESS_DENIED_ERROR',
    });
    const pool = interruptedPool((await openDatabase())(), async (sql) => {
      if (sql.startsWith(`CALL ${name}(`)) throw denied;
    });
    const { sessions } = mysqlStorage({ pool, deadlineMs: PATIENT_MS });
    expect(await originOf(sessions)?.startup?.findings(['sessions'])).toEqual([
      { code: 'storage_not_permitted', message: expect.stringContaining('command denied') },
    ]);
  });
});

describe.skipIf(!HAS_MYSQL)('a deadlock with other transactions', () => {
  it.each([
    ['CALL latchhook_write_and_commit_until', 1],
    ['CALL latchhook_put_and_commit_until', 2],
  ])('at %s makes the storage retry the transaction', async (statement, generation) => {
    const open = await openDatabase();
    const conflict = Object.assign(new Error('Deadlock found'), { code: 'ER_LOCK_DEADLOCK' });
    let conflicts = 0;
    const pool = interruptedPool(open(), async (sql) => {
      if (conflicts === 3 || !sql.startsWith(statement)) return;
      conflicts += 1;
      throw conflict;
    });
    const { sessions } = mysqlStorage({ pool, deadlineMs: PATIENT_MS });
    expect(await sessions.create(newSession('s1'), AMPLE_LIMITS)).toMatchObject({
      outcome: 'created',
    });
    if (generation === 2) await sessions.rotate(rotateRequest(1));
    expect(conflicts).toBe(3);
    expect(await sessions.list(ADA)).toMatchObject([{ generation }]);
  });
});

describe.skipIf(!HAS_MYSQL)('the timestamp of a transaction', () => {
  it('is taken after the wait for its lock', async () => {
    const open = await openDatabase();
    const other = await open().getConnection();
    const { sessions } = mysqlStorage({ pool: open(), deadlineMs: PATIENT_MS });
    await sessions.create(newSession('s1'), AMPLE_LIMITS);
    await other.query('START TRANSACTION');
    await other.query('SELECT * FROM latchhook_locks FOR UPDATE');
    const rotated = sessions.rotate(rotateRequest(1));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const [[[freeAtMs]]] = (await other.query({
      sql: 'SELECT FLOOR(UNIX_TIMESTAMP(NOW(3)) * 1000)',
      rowsAsArray: true,
    })) as unknown as [[[string]]];
    await other.query('ROLLBACK');
    other.release();
    const outcome = await rotated;
    if (outcome.outcome !== 'rotated') expect.fail(outcome.outcome);
    expect(outcome.session.rotatedAtMs).toBeGreaterThanOrEqual(Number(freeAtMs));
  });
});
