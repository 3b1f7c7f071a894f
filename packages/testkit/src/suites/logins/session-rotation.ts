import assert from 'node:assert/strict';
import { logIn } from '../../actions/log-in.ts';
import { expectSession } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import { ADA, newSession, rotateRequest } from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

export const sessionRotation: Suite<LoginFixture> = {
  name: 'sessions: rotation',
  cases: {
    'exchanges generation n for n + 1, any number of times': async ({ sessions, clock }) => {
      const record = await logIn(sessions, newSession('s1'));
      for (let generation = 1; generation <= 20; generation += 1) {
        clock.advance(1);
        const result = await sessions.rotate(rotateRequest(generation, record));
        assert.equal(expectSession(result, 'rotated').generation, generation + 1);
      }
    },

    'changes only generation and rotatedAtMs of a rotated session': async ({ sessions, clock }) => {
      const record = await logIn(sessions, newSession('s1'));
      clock.advance(1234);
      const rotated = expectSession(await sessions.rotate(rotateRequest(1, record)), 'rotated');
      assert.deepEqual(rotated, { ...record, generation: 2, rotatedAtMs: clock.nowMs() });
      assert.deepEqual(await sessions.list(ADA), [rotated]);
    },

    'returns the time of the storage clock with a rotated or replayed session': async ({
      sessions,
      clock,
    }) => {
      const record = await logIn(sessions, newSession('s1'));
      clock.advance(1234);
      for (const expected of ['rotated', 'replayed'] as const) {
        const result = await sessions.rotate(rotateRequest(1, record));
        assert.equal(result.outcome, expected);
        assert.equal('nowMs' in result && result.nowMs, clock.nowMs());
      }
    },

    'returns unknown for a session that never existed': async ({ sessions }) => {
      const result = await sessions.rotate(rotateRequest(1, newSession('never')));
      assert.equal(result.outcome, 'unknown');
      assert.equal(await sessions.isLive(newSession('never')), false);
    },

    'rolls forward to a token that is ahead of a store that lost writes': async ({
      sessions,
      clock,
    }) => {
      const record = await logIn(sessions, newSession('s1'));
      clock.advance(1);
      const ahead = rotateRequest(4, record, { rollForwardLimit: 3 });
      const rolledForward = expectSession(await sessions.rotate(ahead), 'rolled_forward');
      assert.deepEqual(rolledForward, { ...record, generation: 5, rotatedAtMs: clock.nowMs() });
      // Like after any rotation, the immediate predecessor has a grace, and older generations have none.
      assert.equal(expectSession(await sessions.rotate(ahead), 'replayed').generation, 5);
      assert.equal((await sessions.rotate(rotateRequest(1, record))).outcome, 'reused');
    },

    'returns unknown to a token beyond rollForwardLimit without changing the session': async ({
      sessions,
    }) => {
      const record = await logIn(sessions, newSession('s1'));
      const tooFar = rotateRequest(5, record, { rollForwardLimit: 3 });
      assert.equal((await sessions.rotate(tooFar)).outcome, 'unknown');
      assert.deepEqual(await sessions.list(ADA), [record]);
      expectSession(await sessions.rotate(rotateRequest(1, record)), 'rotated');
    },
  },
};
