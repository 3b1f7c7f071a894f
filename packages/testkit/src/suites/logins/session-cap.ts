import assert from 'node:assert/strict';
import type { SessionStore } from '@latchhook/core/storage';
import { logIn } from '../../actions/log-in.ts';
import { expectSession } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import {
  ADA,
  AMPLE_LIMITS,
  DAY_MS,
  HOUR_MS,
  newSession,
  rotateRequest,
} from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

const MAX_THREE = { maxPerUser: 3 } as const;

export const sessionCap: Suite<LoginFixture> = {
  name: 'sessions: cap per user',
  cases: {
    'ends the least recently rotated session beyond maxPerUser': async ({ sessions, clock }) => {
      for (const id of ['s1', 's2', 's3']) {
        await sessions.create(newSession(id), MAX_THREE);
        clock.advance(1);
      }
      await sessions.rotate(rotateRequest(1, newSession('s1')));
      clock.advance(1);
      await sessions.create(newSession('s4'), MAX_THREE);
      assert.deepEqual(await listedIds(sessions), ['s1', 's3', 's4']);
      const result = await sessions.rotate(rotateRequest(1, newSession('s2')));
      assert.ok(['revoked', 'unknown'].includes(result.outcome), result.outcome);
      assert.equal(await sessions.isLive(newSession('s2')), false);
    },

    'ends all sessions that exceed maxPerUser': async ({ sessions, clock }) => {
      for (const id of ['s1', 's2', 's3', 's4', 's5']) {
        await sessions.create(newSession(id), AMPLE_LIMITS);
        clock.advance(1);
      }
      await sessions.create(newSession('s6'), MAX_THREE);
      assert.deepEqual(await listedIds(sessions), ['s4', 's5', 's6']);
    },

    'keeps the new session even if all sessions were created in the same millisecond': async ({
      sessions,
    }) => {
      for (let i = 0; i < 20; i += 1) {
        const record = await logIn(sessions, newSession(`s${i}`), MAX_THREE);
        assert.equal(await sessions.isLive(record), true);
      }
      assert.equal((await sessions.list(ADA)).length, 3);
    },

    'counts no revoked or expired session': async ({ sessions, clock }) => {
      const oldest = await logIn(sessions, newSession('oldest'), MAX_THREE);
      clock.advance(1);
      const revokedSession = await logIn(sessions, newSession('revoked'), MAX_THREE);
      await sessions.create(newSession('expired', { absoluteMs: DAY_MS }), MAX_THREE);
      await sessions.revoke(revokedSession);
      clock.advance(DAY_MS);
      await sessions.create(newSession('s4'), MAX_THREE);
      await sessions.create(newSession('s5'), MAX_THREE);
      assert.deepEqual(await listedIds(sessions), ['oldest', 's4', 's5']);
      expectSession(await sessions.rotate(rotateRequest(1, oldest)), 'rotated');
    },

    'ends the oldest live session even if other sessions expired long ago': async ({
      sessions,
      clock,
    }) => {
      await sessions.create(newSession('over', { absoluteMs: DAY_MS }), MAX_THREE);
      for (const id of ['s1', 's2']) {
        clock.advance(1);
        await sessions.create(newSession(id), MAX_THREE);
      }
      clock.advance(DAY_MS + 2 * HOUR_MS);
      await sessions.create(newSession('s3'), MAX_THREE);
      clock.advance(1);
      await sessions.create(newSession('s4'), MAX_THREE);
      assert.deepEqual(await listedIds(sessions), ['s2', 's3', 's4']);
    },

    'ends no session if create() is repeated': async ({ sessions, clock }) => {
      for (const id of ['s1', 's2', 's3']) {
        await sessions.create(newSession(id), MAX_THREE);
        clock.advance(1);
      }
      await sessions.create(newSession('s3'), MAX_THREE);
      assert.deepEqual(await listedIds(sessions), ['s1', 's2', 's3']);
    },

    'limits the sessions of each user separately': async ({ sessions, clock }) => {
      await sessions.create(newSession('s1'), { maxPerUser: 1 });
      clock.advance(1);
      await sessions.create(newSession('s2', { userId: 'user-grace' }), { maxPerUser: 1 });
      assert.deepEqual(await listedIds(sessions), ['s1']);
    },
  },
};

async function listedIds(sessions: SessionStore): Promise<readonly string[]> {
  const listed = await sessions.list(ADA);
  return listed.map(({ sessionId }) => sessionId).sort();
}
