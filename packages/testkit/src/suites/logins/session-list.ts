import assert from 'node:assert/strict';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import { ADA, AMPLE_LIMITS, newSession, rotateRequest } from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

export const sessionList: Suite<LoginFixture> = {
  name: 'sessions: list',
  cases: {
    'lists the most recently rotated session first': async ({ sessions, clock }) => {
      for (const id of ['s1', 's2', 's3']) {
        await sessions.create(newSession(id), AMPLE_LIMITS);
        clock.advance(1);
      }
      await sessions.rotate(rotateRequest(1, newSession('s1')));
      clock.advance(1);
      await sessions.rotate(rotateRequest(1, newSession('s3')));
      const listed = await sessions.list(ADA);
      assert.deepEqual(
        listed.map(({ sessionId }) => sessionId),
        ['s3', 's1', 's2'],
      );
    },

    'returns an empty list for an unknown user': async ({ sessions }) => {
      await sessions.create(newSession('s1'), AMPLE_LIMITS);
      assert.deepEqual(await sessions.list('user-unheard-of'), []);
    },

    'lists all of a hundred sessions of a user': async ({ sessions }) => {
      const ids = Array.from({ length: AMPLE_LIMITS.maxPerUser }, (_, i) => `s${i}`);
      for (const id of ids) await sessions.create(newSession(id), AMPLE_LIMITS);
      const listed = await sessions.list(ADA);
      assert.deepEqual(listed.map(({ sessionId }) => sessionId).sort(), ids.sort());
    },
  },
};
