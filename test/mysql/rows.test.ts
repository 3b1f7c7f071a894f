import { type MysqlPool, type MysqlQuery, mysqlEngine, mysqlStorage } from '@latchhook/mysql';
import { turnableClock } from '@latchhook/testkit';
import type { Pool } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';
import { HAS_MYSQL } from '../support/servers/mysql-databases.ts';
import { enrol, newToken } from '../support/storage/credential-samples.ts';
import { ADA, AMPLE_LIMITS, newSession, rotateRequest } from '../support/storage/login-samples.ts';
import { newMessage, register } from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { claimAndReturn } from './claim-and-return.ts';
import { openDatabase } from './open-database.ts';

/** A pool that records the statements of its connections. */
function recordStatements(pool: Pool) {
  const statements: MysqlQuery[] = [];
  const recorded: MysqlPool = {
    async getConnection() {
      const connection = await pool.getConnection();
      const recordQuery = (options: MysqlQuery) => {
        statements.push(options);
        return options;
      };
      return {
        query: (options) => connection.query(recordQuery(options)),
        release: () => connection.release(),
        destroy: () => connection.destroy(),
      };
    },
  };
  return { statements, recorded };
}

const countOf = async (pool: Pool, table: string): Promise<number> => {
  const [rows] = await pool.query(`SELECT * FROM ${table}`);
  return (rows as unknown[]).length;
};

/** The SELECT of a procedure, which `EXPLAIN` does not look into. */
async function selectOfFind(pool: Pool): Promise<string> {
  const [[row]] = (await pool.query({
    sql: `SELECT routine_definition FROM information_schema.routines
      WHERE routine_schema = DATABASE() AND routine_name = 'latchhook_find_rows'`,
    rowsAsArray: true,
  })) as unknown as [[string[]]];
  return /SELECT p[^;]+/.exec(String(row?.[0]))?.[0] ?? '';
}

/** The statements that a call of a procedure runs; another statement as it is. */
function withinCall(sql: string, selectOfFind: string): readonly string[] {
  const texts = Array.from(sql.matchAll(/'((?:[^']|'')*)'/g), ([, text = '']) => text);
  if (sql.startsWith('CALL latchhook_write'))
    return texts.map((text) => text.replaceAll("''", "'"));
  if (!sql.startsWith('CALL latchhook_find_rows')) return [sql];
  const [index, from, before] = texts.map((text) => `'${text}'`);
  const values = { in_index: index, in_from: from, in_before: before, in_limit: '10' };
  return [
    Object.entries(values).reduce(
      (text, [name, value = '']) => text.replace(name, value),
      selectOfFind,
    ),
  ];
}

describe.skipIf(!HAS_MYSQL)('MySQL storage', () => {
  it('sends two statements for a refresh', async () => {
    const { statements, recorded } = recordStatements((await openDatabase())());
    const { sessions } = mysqlStorage({ pool: recorded, deadlineMs: PATIENT_MS });
    await sessions.create(newSession('s1'), AMPLE_LIMITS);
    statements.splice(0);
    await sessions.rotate(rotateRequest(1));
    expect(statements.map(({ sql }) => /^\w+ \w+/.exec(sql)?.[0])).toEqual([
      'CALL latchhook_begin',
      'CALL latchhook_put_and_commit_until',
    ]);
  });

  it('writes the rows of a transaction by several statements if they are too large for one', async () => {
    const { statements, recorded } = recordStatements((await openDatabase())());
    const engine = mysqlEngine({ pool: recorded, deadlineMs: PATIENT_MS });
    const values = Array.from({ length: 4 }, (_, nth) => `${nth}\\'`.repeat(70_000));
    await engine.transact('p', async (rows) => {
      for (const value of values) {
        await rows.put({ key: `k-${value[0]}`, value, indexes: { i: '1' }, expiresAtMs: null });
      }
    });
    for (const { sql } of statements) expect(sql.length).toBeLessThan(2_000_000);
    const found = await engine.transact('p', (rows) => rows.range('i'));
    expect(found.map(({ value }) => value).sort()).toEqual(values);
  });

  it.each([
    [1, 4],
    [100, 9],
  ])('publishes a message to %i webhooks by at most %i statements', async (count, limit) => {
    const pool = (await openDatabase())();
    const { statements, recorded } = recordStatements(pool);
    const { webhooks, deliveries } = mysqlStorage({ pool: recorded, deadlineMs: PATIENT_MS });
    for (let nth = 0; nth < count; nth += 1) await register(webhooks, `w${nth}`);
    statements.splice(0);
    expect(await deliveries.publish(newMessage('m1'))).toMatchObject({ deliveries: count });
    expect(statements.length).toBeLessThanOrEqual(limit);
  });

  it('leaves no statement of a failed commit on the connection', async () => {
    const connection = await (await openDatabase())().getConnection();
    const writes = "'SELECT 1', 'INSERT INTO nowhere VALUES (1)', NULL, NULL";
    const commit = connection.query(`CALL latchhook_write_and_commit_until(${writes}, 9e15)`);
    await expect(commit).rejects.toMatchObject({ code: 'ER_NO_SUCH_TABLE' });
    const [rows] = await connection.query('SELECT @latchhook_write AS text');
    expect(rows).toEqual([{ text: null }]);
    connection.release();
  });

  it('needs one statement for all messages of a claim, and one for all deliveries of a completion', async () => {
    const { statements, recorded } = recordStatements((await openDatabase())());
    const { webhooks, deliveries } = mysqlStorage({ pool: recorded, deadlineMs: PATIENT_MS });
    const ids = Array.from({ length: 20 }, (_, nth) => `w${nth}`);
    for (const webhookId of ids) {
      await register(webhooks, webhookId);
      await deliveries.publish(newMessage(`m-${webhookId}`, { webhookId }));
    }
    statements.splice(0);
    expect(await claimAndReturn(deliveries)).toHaveLength(20);
    const ranges = statements.filter(({ sql }) => sql.includes('STRAIGHT_JOIN'));
    // One of each queue; of leases and due webhooks.
    expect(ranges.length).toBeLessThan(28);
    expect(statements.length - ranges.length).toBeLessThan(12);
  });

  it('scans no table and sorts no file', async () => {
    const pool = (await openDatabase())();
    const { statements, recorded } = recordStatements(pool);
    const storage = mysqlStorage({ pool: recorded, deadlineMs: PATIENT_MS });
    for (let i = 0; i < 100; i += 1) {
      const userId = `user-${i}`;
      await storage.sessions.create(newSession(`s${i}`, { userId }), AMPLE_LIMITS);
      await storage.personalAccessTokens.create(newToken(`t${i}`, { userId }), AMPLE_LIMITS);
      await enrol(storage.mfa, userId);
    }
    await storage.personalAccessTokens.list('user-1', { limit: 10, after: null });
    await storage.mfa.listEncrypted({ limit: 10, cursor: null });
    await storage.mfa.remove('user-1');
    for (let i = 0; i < 30; i += 1) await register(storage.webhooks, `w${i}`);
    for (let i = 0; i < 30; i += 1) await storage.deliveries.publish(newMessage(`m${i}`));
    expect(await claimAndReturn(storage.deliveries)).not.toEqual([]);
    await pool.query('ANALYZE TABLE latchhook_rows, latchhook_index_entries');
    const find = await selectOfFind(pool);
    const texts = new Set(statements.flatMap(({ sql }) => withinCall(sql, find)));
    const explained = [...texts].filter((sql) => /^(?:SELECT \w|DELETE)/.test(sql));
    expect(explained.length).toBeGreaterThan(4);
    for (const part of [
      'p.partition_name, r.',
      'DELETE FROM latchhook_index_entries',
      'DELETE r, p',
    ]) {
      expect(explained.join()).toContain(part);
    }
    for (const sql of explained) {
      const [plan] = await pool.query(`EXPLAIN ${sql}`);
      const slow = (plan as Readonly<Record<string, unknown>>[]).filter(
        ({ type, table, Extra }) =>
          String(Extra).includes('filesort') ||
          (/^(?:ALL|index)$/.test(String(type)) && !/derived/.test(String(table))),
      );
      expect(slow, sql).toEqual([]);
    }
  });

  it('deletes expired rows and their index entries as fast as new ones are added', async () => {
    const pool = (await openDatabase())();
    const clock = turnableClock();
    const { sessions } = mysqlStorage({ pool, clock, deadlineMs: PATIENT_MS });
    const short = { userId: ADA, idleMs: 1_000, absoluteMs: 1_000 };
    for (let i = 0; i < 50; i += 1) {
      await sessions.create(newSession(`s${i}`, short), AMPLE_LIMITS);
      clock.advance(60_000);
    }
    expect(await countOf(pool, 'latchhook_rows')).toBeLessThan(25);
    expect(await countOf(pool, 'latchhook_index_entries')).toBeLessThan(25);
  });
});
