import { PGlite } from '@electric-sql/pglite';
import type { Storage } from '@latchhook/core/storage';
import { migrate, postgresStorage } from '@latchhook/postgres';
import { turnableClock } from '@latchhook/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AMPLE_LIMITS,
  newChallenge,
  newSession,
  rotateRequest,
} from '../support/storage/login-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, HAS_POSTGRES, openSchema, uniqueSchema } from './open-schema.ts';

const DAY_MS = 86_400_000;

describe.skipIf(!HAS_POSTGRES)('a refresh on PostgreSQL', () => {
  it('is a HOT update, which adds no index entry', async () => {
    const schema = await openSchema();
    const pool = connect();
    const { sessions } = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    await sessions.create(newSession('s1'), AMPLE_LIMITS);
    // More updates than fit into a page, so that old row versions have to be removed.
    for (let generation = 1; generation <= 100; generation += 1) {
      await sessions.rotate(rotateRequest(generation));
    }
    await expect
      .poll(async () => {
        const { rows } = await pool.query(
          `SELECT n_tup_upd AS updates, n_tup_hot_upd AS hot FROM pg_stat_user_tables
             WHERE schemaname = $1 AND relname = 'sessions'`,
          [schema],
        );
        // Most updates, not all: while a parallel reader sees old row versions, they stay, and a page fills up.
        return { updates: Number(rows[0].updates), areMostHot: Number(rows[0].hot) >= 90 };
      })
      .toEqual({ updates: 100, areMostHot: true });
  });
});

describe('expired rows in PostgreSQL', () => {
  // All tests share one PGlite, each with its own schema. It opens late, because this blocks the process for seconds.
  let pglite: PGlite;
  beforeAll(async () => {
    pglite = new PGlite();
    await pglite.waitReady;
  });
  afterAll(() => pglite.close());

  it('are deleted by later calls', async () => {
    await migrate(pglite);
    const clock = turnableClock();
    const storage = postgresStorage(pglite, { clock, deadlineMs: PATIENT_MS });
    for (let i = 0; i < 20; i += 1) await leaveSomething(storage, `early-${i}`);
    clock.advance(100 * DAY_MS);
    for (let i = 0; i < 10; i += 1) await leaveSomething(storage, `late-${i}`);
    const tables = ['sessions', 'challenges', 'personal_access_tokens', 'pending_enrolments'];
    for (const table of tables) {
      const { rows } = await pglite.query(`SELECT user_id FROM latchhook.${table} ORDER BY 1`);
      expect(rows, table).toEqual(Array.from({ length: 10 }, (_, i) => ({ user_id: `late-${i}` })));
    }
  });

  it('are deleted among rate-limit counters by the time of the server', async () => {
    const schema = uniqueSchema();
    await migrate(pglite, { schema });
    const { limiters } = postgresStorage(pglite, { schema, deadlineMs: PATIENT_MS });
    const short = limiters?.({ keyPrefix: 'short', duration: 0.001 });
    const long = limiters?.({ keyPrefix: 'long', duration: 60 });
    for (let i = 0; i < 8; i += 1) await short?.penalty(`${i}`);
    await expect.poll(() => short?.get('7', [])).toEqual([null]);
    for (let i = 0; i < 4; i += 1) await long?.penalty(`${i}`);
    const { rows } = await pglite.query(`SELECT counter_key FROM ${schema}.counters ORDER BY 1`);
    expect(rows).toEqual(Array.from({ length: 4 }, (_, i) => ({ counter_key: `long:${i}` })));
  });
});

async function leaveSomething(storage: Storage, userId: string): Promise<void> {
  const { sessions, challenges, personalAccessTokens, mfa } = storage;
  await sessions.create(newSession('s1', { userId }), AMPLE_LIMITS);
  await challenges.create(newChallenge('c1', userId));
  await personalAccessTokens?.create(
    {
      userId,
      tokenId: 't1',
      tokenHash: `hash-of-${userId}`,
      name: 'script',
      prefix: 'lh_pat_ab',
      scopes: ['user'],
      accountId: null,
      ttlMs: DAY_MS,
    },
    { maxPerUser: 5 },
  );
  await mfa?.begin(userId, {
    sessionId: 's1',
    enrolmentId: 'e1',
    encryptedSecret: 'encrypted',
    ttlMs: 600_000,
  });
}
