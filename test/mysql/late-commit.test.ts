import { StorageUnavailableError } from '@latchhook/core/storage';
import { mysqlStorage } from '@latchhook/mysql';
import type { Pool } from 'mysql2/promise';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { HAS_MYSQL } from '../support/servers/mysql-databases.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { ADA, AMPLE_LIMITS, newSession, rotateRequest } from '../support/storage/login-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { interruptedPool } from './interrupted-pool.ts';
import { openDatabase } from './open-database.ts';

const DEADLINE_MS = 1_000;

async function numberIn(pool: Pool, sql: string): Promise<number> {
  const [rows] = await pool.query({ sql, rowsAsArray: true });
  return Number((rows as unknown[][])[0]?.[0]);
}

const serverMs = (pool: Pool) => numberIn(pool, 'SELECT FLOOR(UNIX_TIMESTAMP(NOW(3)) * 1000)');

/** A storage on one connection. After `hold`, the network holds back a matching statement and all that follow. */
async function openHeldStorage(statement: RegExp) {
  const open = await openDatabase();
  const proxy = await startTcpProxy(`${inject('mysqlUrl')}`);
  onTestFinished(() => proxy.stop());
  const admin = open();
  let isToHold = false;
  let heldStatement = { connectionId: 0, atMs: 0 };
  const behindProxy = open({ host: '127.0.0.1', port: proxy.port, connectionLimit: 1 });
  const pool = interruptedPool(behindProxy, async (sql, connectionId) => {
    if (!isToHold || !statement.test(sql)) return;
    isToHold = false;
    heldStatement = { connectionId, atMs: await serverMs(admin) };
    await proxy.blackhole();
  });
  return {
    patient: mysqlStorage({ pool: admin, deadlineMs: PATIENT_MS }),
    held: mysqlStorage({ pool, deadlineMs: DEADLINE_MS }),
    hold() {
      isToHold = true;
    },
    /** Lets the statements arrive after their calls timed out, and waits until the server has read them. */
    async release(): Promise<void> {
      expect(heldStatement.atMs).toBeGreaterThan(0);
      const patience = { timeout: PATIENT_MS };
      const late = heldStatement.atMs + DEADLINE_MS;
      await expect.poll(() => serverMs(admin), patience).toBeGreaterThan(late);
      await proxy.pass();
      const condition = `FROM information_schema.processlist WHERE id = ${heldStatement.connectionId}`;
      await expect.poll(() => numberIn(admin, `SELECT COUNT(*) ${condition}`), patience).toBe(0);
    },
  };
}

describe.skipIf(!HAS_MYSQL)('a commit that arrives after its call timed out', () => {
  it('changes nothing if the committing statement also writes a row', async () => {
    const { patient, held, hold, release } = await openHeldStorage(
      /^CALL latchhook_put_and_commit/,
    );
    await held.sessions.create(newSession('s1'), AMPLE_LIMITS);
    hold();
    await expect(held.sessions.rotate(rotateRequest(1))).rejects.toThrow(StorageUnavailableError);
    await release();
    expect(await patient.sessions.list(ADA)).toMatchObject([{ generation: 1 }]);
  });

  it('deletes nothing', async () => {
    const { patient, held, hold, release } = await openHeldStorage(/^CALL latchhook_write/);
    const limited = { keyPrefix: 'logins', duration: 60 };
    await patient.limiters(limited).penalty('ada');
    hold();
    const deleted = held.limiters(limited).delete('ada');
    await expect(deleted).rejects.toThrow(StorageUnavailableError);
    await release();
    expect(await patient.limiters(limited).get('ada', [])).toMatchObject([{ consumedPoints: 1 }]);
  });
});
