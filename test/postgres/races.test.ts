import { postgresStorage } from '@latchhook/postgres';
import { describe, expect, it } from 'vitest';
import { ADA, CAP, newSession, rotation } from '../redis/samples.ts';
import { PATIENT_MS } from '../support/patience.ts';
import { connect, HAS_POSTGRES, openSchema } from './open-schema.ts';

describe.skipIf(!HAS_POSTGRES)('on PostgreSQL', () => {
  it('one of 200 parallel rotations wins, over 32 connections', async () => {
    const schema = await openSchema();
    const stores = Array.from(
      { length: 4 },
      () =>
        postgresStorage(connect(undefined, { max: 8 }), { schema, deadlineMs: PATIENT_MS })
          .sessions,
    );
    await stores[0]?.create(newSession('s1'), CAP);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => stores.map((store) => store.rotate(rotation(1)))).flat(),
    );
    expect(answers.filter(({ outcome }) => outcome === 'rotated')).toHaveLength(1);
    expect(answers.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(199);
    const successors = answers.map((answer) => 'session' in answer && answer.session.generation);
    expect(new Set(successors)).toEqual(new Set([2]));
  });

  it('logins at the cap, rotations and revocations of one user never wait in a circle', async () => {
    const schema = await openSchema();
    const pool = connect(undefined, { max: 16 });
    const { sessions } = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    const users = ['ada', 'grace'];
    const calls = Array.from({ length: 40 }, (_, nth) => nth).flatMap((nth) =>
      users.flatMap((userId): Promise<unknown>[] => {
        const session = newSession(`s${nth}`, { userId });
        const older = { userId, sessionId: `s${Math.max(0, nth - 2)}` };
        return [
          sessions.create(session, { maxPerUser: 3 }),
          sessions.rotate(rotation(1, older)),
          sessions.revoke(older),
          ...(nth % 10 === 9 ? [sessions.revokeOthers(older), sessions.revokeAll(userId)] : []),
        ];
      }),
    );
    const failed = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected');
    expect(failed).toEqual([]);
    for (const userId of users) {
      expect((await sessions.list(userId)).length).toBeLessThanOrEqual(3);
    }
  });

  it('no rotation succeeds once revokeAll has been answered', async () => {
    const schema = await openSchema();
    const pool = connect(undefined, { max: 16 });
    const { sessions } = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    await sessions.create(newSession('s1'), CAP);
    let generation = 1;
    let isRevoked = false;
    const lateOutcomes: string[] = [];
    const refreshers = Array.from({ length: 8 }, async () => {
      for (let round = 0; round < 40; round += 1) {
        const beganLate = isRevoked;
        const answer = await sessions.rotate(rotation(generation, { rollForwardLimit: 0 }));
        if ('session' in answer) generation = Math.max(generation, answer.session.generation);
        if (beganLate) lateOutcomes.push(answer.outcome);
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 30));
    await sessions.revokeAll(ADA);
    isRevoked = true;
    await Promise.all(refreshers);
    expect(generation).toBeGreaterThan(1);
    expect(lateOutcomes.length).toBeGreaterThan(0);
    expect(new Set(lateOutcomes)).toEqual(new Set(['revoked']));
  });
});
