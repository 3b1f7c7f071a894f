import { type PostgresConnection, postgresStorage } from '@latchhook/postgres';
import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import {
  ADA,
  AMPLE_LIMITS,
  ATTEMPT_LIMITS,
  newChallenge,
  newSession,
  rotateRequest,
} from '../support/storage/login-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, HAS_POSTGRES, openSchema } from './open-schema.ts';

/** Wraps a pool, and records the statements of its clients. */
function recording(pool: Pool, statements: string[]): PostgresConnection {
  return {
    connect: async () => {
      const client = await pool.connect();
      return new Proxy(client, {
        get(target, name) {
          if (name === 'query') {
            return (text: string, values: unknown[]) => {
              statements.push(text);
              return target.query(text, values);
            };
          }
          const member: unknown = Reflect.get(target, name);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
    },
  };
}

describe.skipIf(!HAS_POSTGRES)('a storage call on PostgreSQL', () => {
  it('is a single statement, which is its own transaction', async () => {
    const schema = await openSchema();
    const pool = connect();
    const statements: string[] = [];
    const { sessions, challenges } = postgresStorage(recording(pool, statements), {
      schema,
      deadlineMs: PATIENT_MS,
    });
    await sessions.create(newSession('s1'), AMPLE_LIMITS);
    // Before the first call, a statement asks for the time of the server.
    expect(statements).toHaveLength(2);

    for (let generation = 1; generation <= 20; generation += 1) {
      statements.splice(0);
      expect(await sessions.rotate(rotateRequest(generation))).toMatchObject({
        outcome: 'rotated',
      });
      expect(statements).toEqual([expect.stringContaining(`"${schema}".rotate_session(`)]);
    }

    const transitions = {
      create_session: () => sessions.create(newSession('s2'), AMPLE_LIMITS),
      list_sessions: () => sessions.list(ADA),
      is_session_live: () => sessions.isLive(newSession('s1')),
      revoke_session: () => sessions.revoke(newSession('s1')),
      create_challenge: () => challenges.create(newChallenge('c1')),
      reserve_attempt: () => challenges.reserveAttempt(newChallenge('c1'), ATTEMPT_LIMITS),
      revoke_sessions: () => sessions.revokeAll(ADA),
    };
    for (const [name, call] of Object.entries(transitions)) {
      statements.splice(0);
      await call();
      expect(statements).toEqual([expect.stringContaining(`"${schema}".${name}(`)]);
    }
  });
});
