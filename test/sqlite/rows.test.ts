import { type SqliteDatabase, sqliteStorage } from '@latchhook/sqlite';
import { turnableClock } from '@latchhook/testkit';
import { expect, it } from 'vitest';
import { enrol, newToken } from '../support/storage/credential-samples.ts';
import { ADA, newSession, presenting, ROOMY } from '../support/storage/login-samples.ts';
import { migratedFile } from './open-file.ts';

/** A database that keeps the texts of what it is asked. */
function watching(database: SqliteDatabase) {
  const asked: string[] = [];
  const watched: SqliteDatabase = {
    exec(script) {
      asked.push(script);
      return database.exec(script);
    },
    prepare(text) {
      const statement = database.prepare(text);
      return {
        run(...values) {
          asked.push(text);
          return statement.run(...values);
        },
        all(...values) {
          asked.push(text);
          return statement.all(...values);
        },
      };
    },
  };
  return { asked, watched };
}

it('makes a refresh of a read, a write and a look for what has expired', async () => {
  const { asked, watched } = watching((await migratedFile()).open());
  const { sessions } = sqliteStorage({ database: watched });
  await sessions.create(newSession('s1'), ROOMY);
  asked.splice(0);
  await sessions.rotate(presenting(1));
  expect(asked.map((text) => /^\w+/.exec(text)?.[0])).toEqual([
    ...['BEGIN', 'SELECT', 'INSERT', 'DELETE', 'COMMIT'],
  ]);
});

it('reads no table as a whole', async () => {
  const database = (await migratedFile()).open();
  const { asked, watched } = watching(database);
  const storage = sqliteStorage({ database: watched });
  await storage.sessions.create(newSession('s1'), ROOMY);
  await storage.sessions.revokeAll(ADA);
  await storage.personalAccessTokens.create(newToken('t1'), ROOMY);
  await storage.personalAccessTokens.list(ADA, { limit: 10, after: null });
  await enrol(storage.mfa);
  await storage.mfa.listSealed({ limit: 10, cursor: null });
  await storage.mfa.remove(ADA);
  const texts = new Set(asked.filter((text) => /^(?:SELECT|INSERT|DELETE)/.test(text)));
  expect(texts.size).toBeGreaterThan(6);
  for (const text of texts) {
    const values = Array.from(text.matchAll(/\?/g), () => '1');
    const plan = JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values));
    expect(plan, text).not.toMatch(/\bSCAN\b|TEMP B-TREE/);
  }
});

it('deletes what has expired as fast as more comes, with its places', async () => {
  const database = (await migratedFile()).open();
  const clock = turnableClock();
  const { sessions } = sqliteStorage({ database, clock });
  const short = { idleMs: 1_000, absoluteMs: 1_000 };
  for (let nth = 0; nth < 50; nth += 1) {
    await sessions.create(newSession(`s${nth}`, { ...short, userId: `user-${nth}` }), ROOMY);
    clock.advance(60_000);
  }
  for (const table of ['latchhook_rows', 'latchhook_places']) {
    expect(database.prepare(`SELECT * FROM ${table}`).all().length, table).toBeLessThan(10);
  }
});

it('reads the rows of a host whose integers are bigints', async () => {
  const database = (await migratedFile()).open();
  if ('defaultSafeIntegers' in database && typeof database.defaultSafeIntegers === 'function') {
    database.defaultSafeIntegers(true);
  }
  const limiter = sqliteStorage({ database }).limiters({ keyPrefix: 'logins', duration: 60 });
  await limiter.penalty('ada');
  expect(await limiter.penalty('ada')).toMatchObject({ consumedPoints: 2 });
});
