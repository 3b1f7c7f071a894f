import { type SqliteDatabase, sqliteStorage } from '@latchhook/sqlite';
import { turnableClock } from '@latchhook/testkit';
import { expect, it } from 'vitest';
import { enrol, newToken } from '../support/storage/credential-samples.ts';
import { ADA, AMPLE_LIMITS, newSession, rotateRequest } from '../support/storage/login-samples.ts';
import { migratedFile } from './open-file.ts';

/** A database that records its statements. */
function recordStatements(database: SqliteDatabase) {
  const statements: string[] = [];
  const recorded: SqliteDatabase = {
    exec(script) {
      statements.push(script);
      return database.exec(script);
    },
    prepare(text) {
      const statement = database.prepare(text);
      return {
        run(...values) {
          statements.push(text);
          return statement.run(...values);
        },
        all(...values) {
          statements.push(text);
          return statement.all(...values);
        },
      };
    },
  };
  return { statements, recorded };
}

it('a refresh on SQLite takes a read, a write and a deletion of expired rows', async () => {
  const { statements, recorded } = recordStatements((await migratedFile()).open());
  const { sessions } = sqliteStorage({ database: recorded });
  await sessions.create(newSession('s1'), AMPLE_LIMITS);
  statements.splice(0);
  await sessions.rotate(rotateRequest(1));
  expect(statements.map((text) => /^\w+/.exec(text)?.[0])).toEqual([
    'BEGIN',
    'SELECT',
    'INSERT',
    'DELETE',
    'COMMIT',
  ]);
});

it('no statement on SQLite scans a table', async () => {
  const database = (await migratedFile()).open();
  const { statements, recorded } = recordStatements(database);
  const storage = sqliteStorage({ database: recorded });
  await storage.sessions.create(newSession('s1'), AMPLE_LIMITS);
  await storage.sessions.revokeAll(ADA);
  await storage.personalAccessTokens.create(newToken('t1'), AMPLE_LIMITS);
  await storage.personalAccessTokens.list(ADA, { limit: 10, after: null });
  await enrol(storage.mfa);
  await storage.mfa.listEncrypted({ limit: 10, cursor: null });
  await storage.mfa.remove(ADA);
  const texts = new Set(statements.filter((text) => /^(?:SELECT|INSERT|DELETE)/.test(text)));
  expect(texts.size).toBeGreaterThan(6);
  for (const text of texts) {
    const values = Array.from(text.matchAll(/\?/g), () => '1');
    const plan = JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values));
    expect(plan, text).not.toMatch(/\bSCAN\b|TEMP B-TREE/);
  }
});

it('expired rows on SQLite and their index entries are deleted as fast as new ones are added', async () => {
  const database = (await migratedFile()).open();
  const clock = turnableClock();
  const { sessions } = sqliteStorage({ database, clock });
  const short = { idleMs: 1_000, absoluteMs: 1_000 };
  for (let i = 0; i < 50; i += 1) {
    await sessions.create(newSession(`s${i}`, { ...short, userId: `user-${i}` }), AMPLE_LIMITS);
    clock.advance(60_000);
  }
  for (const table of ['latchhook_rows', 'latchhook_index_entries']) {
    expect(database.prepare(`SELECT * FROM ${table}`).all().length, table).toBeLessThan(10);
  }
});

it('SQLite storage works on a connection that returns bigints', async () => {
  const database = (await migratedFile()).open();
  if ('defaultSafeIntegers' in database && typeof database.defaultSafeIntegers === 'function') {
    database.defaultSafeIntegers(true);
  }
  const limiter = sqliteStorage({ database }).limiters({ keyPrefix: 'logins', duration: 60 });
  await limiter.penalty('ada');
  expect(await limiter.penalty('ada')).toMatchObject({ consumedPoints: 2 });
});
