import assert from 'node:assert/strict';
import { logIn } from '../../actions/log-in.ts';
import { assertExpired, expectSession } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import { ADA, DAY_MS, DEFAULTS, newSession, rotateRequest } from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

const { idleMs, absoluteMs } = DEFAULTS;

export const sessionExpiry: Suite<LoginFixture> = {
  name: 'sessions: expiry',
  cases: {
    'rotates a session only before idleMs has passed': async ({ sessions, clock }) => {
      const usedSession = await logIn(sessions, newSession('used'));
      const idle = await logIn(sessions, newSession('idle'));
      clock.advance(idleMs - 1);
      expectSession(await sessions.rotate(rotateRequest(1, usedSession)), 'rotated');
      clock.advance(1);
      assertExpired(await sessions.rotate(rotateRequest(1, idle)));
    },

    'counts idleMs from the last rotation': async ({ sessions, clock }) => {
      const record = await logIn(sessions, newSession('s1'));
      clock.advance(idleMs - 1);
      expectSession(await sessions.rotate(rotateRequest(1, record)), 'rotated');
      clock.advance(idleMs - 1);
      expectSession(await sessions.rotate(rotateRequest(2, record)), 'rotated');
      clock.advance(idleMs);
      assertExpired(await sessions.rotate(rotateRequest(3, record)));
    },

    'ends a session at expiresAtMs, even if it is rotated daily': async ({ sessions, clock }) => {
      const record = await logIn(sessions, newSession('s1'));
      let { generation } = record;
      for (let day = 1; day < absoluteMs / DAY_MS; day += 1) {
        clock.advance(DAY_MS);
        const rotated = expectSession(
          await sessions.rotate(rotateRequest(generation, record)),
          'rotated',
        );
        assert.equal(rotated.expiresAtMs, record.expiresAtMs);
        generation = rotated.generation;
      }
      clock.advance(DAY_MS - 1);
      expectSession(await sessions.rotate(rotateRequest(generation, record)), 'rotated');
      clock.advance(1);
      assert.equal(clock.nowMs(), record.expiresAtMs);
      assertExpired(await sessions.rotate(rotateRequest(generation + 1, record)));
    },

    'returns expired to a predecessor within the grace once the session has expired': async ({
      sessions,
      clock,
    }) => {
      const record = await logIn(sessions, newSession('s1', { absoluteMs: DAY_MS }));
      clock.advance(DAY_MS - 1);
      expectSession(await sessions.rotate(rotateRequest(1, record)), 'rotated');
      clock.advance(1);
      assertExpired(await sessions.rotate(rotateRequest(1, record)));
    },

    'lists a session as live only before expiresAtMs': async ({ sessions, clock }) => {
      const record = await logIn(sessions, newSession('s1', { absoluteMs: DAY_MS }));
      clock.advance(DAY_MS - 1);
      assert.equal(await sessions.isLive(record), true);
      assert.deepEqual(await sessions.list(ADA), [record]);
      clock.advance(1);
      assert.equal(await sessions.isLive(record), false);
      assert.deepEqual(await sessions.list(ADA), []);
    },

    'lists a session as live only before idleMs has passed': async ({ sessions, clock }) => {
      const idle = await logIn(sessions, newSession('idle'));
      const usedSession = await logIn(sessions, newSession('used'));
      clock.advance(idleMs - 1);
      assert.equal(await sessions.isLive(idle), true);
      const rotated = expectSession(
        await sessions.rotate(rotateRequest(1, usedSession)),
        'rotated',
      );
      assert.deepEqual(await sessions.list(ADA), [rotated, idle]);
      clock.advance(1);
      assert.equal(await sessions.isLive(idle), false);
      assert.equal(await sessions.revoke(idle), false);
      assert.deepEqual(await sessions.list(ADA), [rotated]);
      clock.advance(idleMs - 2);
      assert.equal(await sessions.isLive(usedSession), true);
      clock.advance(1);
      assert.equal(await sessions.isLive(usedSession), false);
    },

    'returns expired for an expired session, but not for a session revoked earlier': async ({
      sessions,
      clock,
    }) => {
      const expiredSession = await logIn(sessions, newSession('over', { absoluteMs: DAY_MS }));
      const revokedSession = await logIn(sessions, newSession('revoked', { absoluteMs: DAY_MS }));
      await sessions.revoke(revokedSession);
      clock.advance(DAY_MS);
      const assertOutcomes = async () => {
        assertExpired(await sessions.rotate(rotateRequest(1, expiredSession)));
        const { outcome } = await sessions.rotate(rotateRequest(1, revokedSession));
        assert.ok(['revoked', 'unknown'].includes(outcome), `revoked, not ${outcome}`);
      };
      await assertOutcomes();
      // A login may delete ended sessions, and must not confuse expired with revoked sessions.
      await logIn(sessions, newSession('next'));
      await assertOutcomes();
    },

    'returns false to revoke() of an expired session': async ({ sessions, clock }) => {
      const record = await logIn(sessions, newSession('s1', { absoluteMs: DAY_MS }));
      clock.advance(DAY_MS);
      assert.equal(await sessions.revoke(record), false);
    },
  },
};
