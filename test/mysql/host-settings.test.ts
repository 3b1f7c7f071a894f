import { mysqlStorage } from '@latchhook/mysql';
import type { PoolOptions } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';
import { HAS_MYSQL } from '../support/servers/mysql-databases.ts';
import { enrol, newToken } from '../support/storage/credential-samples.ts';
import { ADA, AMPLE_LIMITS, newSession, rotateRequest } from '../support/storage/login-samples.ts';
import { newMessage, register } from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { claimAndReturn } from './claim-and-return.ts';
import { openDatabase } from './open-database.ts';

const POOLS: Readonly<Record<string, PoolOptions>> = {
  'rows as arrays': { rowsAsArray: true },
  'tables nested': { nestTables: true },
  'no casts': { typeCast: false },
  'its own casts': { typeCast: () => 'mine' },
  'named placeholders': { namedPlaceholders: true },
  'several statements': { multipleStatements: true },
  'times and numbers as texts': {
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
  },
  'decimals as numbers': { decimalNumbers: true },
  'another time zone': { timezone: '+09:00' },
  'another character set': { charset: 'latin1_swedish_ci' },
};

const SESSIONS: Readonly<Record<string, string>> = {
  'ANSI quotes and no backslash escapes': "SET sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES'",
  'no strict mode': "SET sql_mode = ''",
  'a time zone with summer time': "SET time_zone = '-03:30'",
  'no autocommit': 'SET autocommit = 0',
  'serialisable isolation': 'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE',
  'a limit of selected rows': 'SET sql_select_limit = 1',
  // Without a select limit, as `mysql --safe-updates` sets them.
  'safe updates': 'SET sql_safe_updates = 1, sql_big_selects = 0, max_join_size = 1000000',
  'read-only transactions': 'SET SESSION TRANSACTION READ ONLY',
  'chained transactions': 'SET completion_type = 1',
  'a character set without a backslash': 'SET NAMES sjis',
  'a character set of several bytes': 'SET NAMES gbk',
  'another collation': 'SET NAMES utf8mb4 COLLATE utf8mb4_turkish_ci',
  'every strict mode':
    "SET sql_mode = 'TRADITIONAL,ANSI,ONLY_FULL_GROUP_BY,PAD_CHAR_TO_FULL_LENGTH,IGNORE_SPACE,PIPES_AS_CONCAT'",
  'uncommitted reads': 'SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED',
};

/** A user agent with characters whose bytes differ in every character set. */
const session = newSession('s1', { userAgent: 'Blåbær 日本 😀 \ud800 "\\\'`' });

async function useAll(storage: ReturnType<typeof mysqlStorage>): Promise<void> {
  const beganAtMs = Date.now();
  await storage.sessions.create(session, AMPLE_LIMITS);
  expect(await storage.sessions.rotate(rotateRequest(1))).toMatchObject({ outcome: 'rotated' });
  const [listed] = await storage.sessions.list(ADA);
  expect(listed).toMatchObject({ generation: 2, userAgent: session.userAgent });
  expect(Math.abs(Number(listed?.rotatedAtMs) - beganAtMs)).toBeLessThan(PATIENT_MS);
  await storage.personalAccessTokens.create(newToken('t1'), AMPLE_LIMITS);
  await enrol(storage.mfa);
  expect(await storage.mfa.listEncrypted({ limit: 1, cursor: null })).toMatchObject({
    items: [{ owner: ADA }],
  });
  const { accountId } = await register(storage.webhooks, 'w1');
  for (const id of ['m1', 'm2']) await storage.deliveries.publish(newMessage(id));
  const attempts = await claimAndReturn(storage.deliveries);
  expect(attempts.map(({ body }) => body)).toEqual([newMessage('m1').body, newMessage('m2').body]);
  expect(await storage.webhooks.remove({ accountId, webhookId: 'w1' })).toBe(true);
  const limiter = storage.limiters({ keyPrefix: 'logins', duration: 60 });
  await limiter.penalty('ada');
  expect(await limiter.penalty('ada')).toMatchObject({ consumedPoints: 2 });
}

describe.skipIf(!HAS_MYSQL)('MySQL storage', () => {
  it.each(Object.keys(POOLS))(
    'refreshes, delivers and counts with a pool that has %s',
    async (name) => {
      const pool = (await openDatabase())(POOLS[name]);
      await useAll(mysqlStorage({ pool, deadlineMs: PATIENT_MS }));
    },
  );

  it.each(Object.keys(SESSIONS))(
    'refreshes, delivers and counts with a session that has %s',
    async (name) => {
      const open = await openDatabase();
      const pool = open({ connectionLimit: 1 });
      await pool.query(String(SESSIONS[name]));
      await useAll(mysqlStorage({ pool, deadlineMs: PATIENT_MS }));
      const others = mysqlStorage({ pool: open(), deadlineMs: PATIENT_MS });
      const { userAgent } = session;
      expect(await others.sessions.list(ADA)).toMatchObject([{ userAgent }]);
    },
  );
});
