import { postgresStorage } from '@latchhook/postgres';
import { describe, expect, it } from 'vitest';
import { newSession, rotateRequest } from '../support/storage/login-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, HAS_POSTGRES, openSchema } from './open-schema.ts';

describe.skipIf(!HAS_POSTGRES)('sessions on PostgreSQL', () => {
  it('never deadlock under parallel logins at the cap, rotations and revocations', async () => {
    const schema = await openSchema();
    const pool = connect(undefined, { max: 16 });
    const { sessions } = postgresStorage(pool, { schema, deadlineMs: PATIENT_MS });
    const users = ['ada', 'grace'];
    const calls = Array.from({ length: 40 }, (_, i) => i).flatMap((i) =>
      users.flatMap((userId): Promise<unknown>[] => {
        const session = newSession(`s${i}`, { userId });
        const older = { userId, sessionId: `s${Math.max(0, i - 2)}` };
        return [
          sessions.create(session, { maxPerUser: 3 }),
          sessions.rotate(rotateRequest(1, older)),
          sessions.revoke(older),
          ...(i % 10 === 9 ? [sessions.revokeOthers(older), sessions.revokeAll(userId)] : []),
        ];
      }),
    );
    const failed = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected');
    expect(failed).toEqual([]);
    for (const userId of users) {
      expect((await sessions.list(userId)).length).toBeLessThanOrEqual(3);
    }
  });
});
