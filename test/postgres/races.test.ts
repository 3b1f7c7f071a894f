import { postgresStorage } from '@latchhook/postgres';
import { describe, expect, it } from 'vitest';
import { ADA, AMPLE_LIMITS, newSession, presenting } from '../support/storage/login-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, HAS_POSTGRES, openSchema } from './open-schema.ts';

describe.skipIf(!HAS_POSTGRES)('sessions on PostgreSQL', () => {
  it('let one of 200 parallel rotations over 32 connections win', async () => {
    const schema = await openSchema();
    const stores = Array.from(
      { length: 4 },
      () =>
        postgresStorage(connect(undefined, { max: 8 }), { schema, deadlineMs: PATIENT_MS })
          .sessions,
    );
    await stores[0]?.create(newSession('s1'), AMPLE_LIMITS);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => stores.map((store) => store.rotate(presenting(1)))).flat(),
    );
    expect(answers.filter(({ outcome }) => outcome === 'rotated')).toHaveLength(1);
    expect(answers.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(199);
    const successors = answers.map((answer) => 'session' in answer && answer.session.generation);
    expect(new Set(successors)).toEqual(new Set([2]));
  });

  it('never deadlock under parallel logins at the cap, rotations and revocations', async () => {
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
          sessions.rotate(presenting(1, older)),
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

  it('are never rotated after revokeAll() has resolved', async () => {
    const schema = await openSchema();
    const pool = connect(undefined, { max: 16 });
    const { sessions } = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    // Each session rotates one generation after the other: one that came late would end it before it is revoked.
    const refs = Array.from({ length: 8 }, (_, nth) => ({ userId: ADA, sessionId: `s${nth}` }));
    for (const ref of refs) {
      await sessions.create(newSession(ref.sessionId), { maxPerUser: refs.length });
    }
    let revocation: 'to come' | 'asked for' | 'answered' = 'to come';
    let rotated = 0;
    let isMidway = (): void => {};
    const midway = new Promise<void>((resolve) => {
      isMidway = resolve;
    });
    const lateOutcomes: string[] = [];
    const refreshers = refs.map(async (ref) => {
      for (let generation = 1, late = 0; late < 5; generation += 1) {
        const began = revocation;
        const { outcome } = await sessions.rotate(presenting(generation, ref));
        if (revocation === 'to come') expect(outcome).toBe('rotated');
        rotated += 1;
        if (rotated === 40) isMidway();
        if (began !== 'answered') continue;
        lateOutcomes.push(outcome);
        late += 1;
      }
    });
    await Promise.race([midway, Promise.all(refreshers)]);
    revocation = 'asked for';
    await sessions.revokeAll(ADA);
    revocation = 'answered';
    await Promise.all(refreshers);
    expect(lateOutcomes).toEqual(Array(40).fill('revoked'));
  });
});
