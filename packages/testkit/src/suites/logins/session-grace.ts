import assert from 'node:assert/strict';
import { logIn } from '../../actions/log-in.ts';
import { assertExpired, expectSession, tally } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import { ADA, DEFAULTS, newSession, rotateRequest } from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

const { graceMs, idleMs } = DEFAULTS;

export const sessionGrace: Suite<LoginFixture> = {
  name: 'sessions: grace after a lost response',
  cases: {
    'returns the same successor to the immediate predecessor': async ({ sessions, clock }) => {
      const record = await logIn(sessions, newSession('s1'));
      const winner = expectSession(await sessions.rotate(rotateRequest(1, record)), 'rotated');
      for (let retry = 0; retry < 5; retry += 1) {
        clock.advance(1000);
        const result = await sessions.rotate(rotateRequest(1, record));
        assert.deepEqual(expectSession(result, 'replayed'), winner);
      }
    },

    'returns replayed up to and including graceMs, then reused': async ({ sessions, clock }) => {
      const inTime = await logIn(sessions, newSession('in-time'));
      const lateSession = await logIn(sessions, newSession('late'));
      await sessions.rotate(rotateRequest(1, inTime));
      await sessions.rotate(rotateRequest(1, lateSession));
      clock.advance(graceMs);
      assert.equal((await sessions.rotate(rotateRequest(1, inTime))).outcome, 'replayed');
      clock.advance(1);
      assert.equal((await sessions.rotate(rotateRequest(1, lateSession))).outcome, 'reused');
    },

    'does not extend the grace on a replay': async ({ sessions, clock }) => {
      const record = await logIn(sessions, newSession('s1'));
      await sessions.rotate(rotateRequest(1, record));
      clock.advance(graceMs);
      assert.equal((await sessions.rotate(rotateRequest(1, record))).outcome, 'replayed');
      clock.advance(1);
      assert.equal((await sessions.rotate(rotateRequest(1, record))).outcome, 'reused');
    },

    'changes neither rotatedAtMs nor the expiry of a session on a replay': async ({
      sessions,
      clock,
    }) => {
      const record = await logIn(sessions, newSession('s1'));
      const winner = expectSession(await sessions.rotate(rotateRequest(1, record)), 'rotated');
      clock.advance(graceMs);
      await sessions.rotate(rotateRequest(1, record));
      assert.deepEqual(await sessions.list(ADA), [winner]);
      clock.advance(idleMs - graceMs);
      assertExpired(await sessions.rotate(rotateRequest(2, record)));
    },

    'returns busy after replayLimit replays without ending the session': async ({ sessions }) => {
      const record = await logIn(sessions, newSession('s1'));
      const retry = rotateRequest(1, record, { replayLimit: 3 });
      const results = [];
      for (let i = 0; i < 6; i += 1) results.push(await sessions.rotate(retry));
      assert.deepEqual(tally(results), { rotated: 1, replayed: 3, busy: 2 });
      assert.equal(await sessions.isLive(record), true);
      expectSession(await sessions.rotate(rotateRequest(2, record)), 'rotated');
    },

    'counts the replays of each generation separately': async ({ sessions }) => {
      const record = await logIn(sessions, newSession('s1'));
      for (const generation of [1, 2, 3]) {
        const retry = rotateRequest(generation, record, { replayLimit: 2 });
        const results = [];
        for (let i = 0; i < 3; i += 1) results.push(await sessions.rotate(retry));
        assert.deepEqual(tally(results), { rotated: 1, replayed: 2 });
      }
    },
  },
};
