import assert from 'node:assert/strict';
import { assertExpired, expectSession } from '../../actions/outcomes.ts';
import { loginSuite } from '../../fixtures/login-fixture.ts';
import { DAY_MS, DEFAULTS, newSession, rotateRequest } from '../../samples/login-samples.ts';

const { idleMs, absoluteMs } = DEFAULTS;

export const sessionExpiry = loginSuite('sessions: expiry', {
  'rotates a session only before idleMs has passed since the last rotation': async (t) => {
    const record = await t.logIn(newSession('s1'));
    t.clock.advance(idleMs - 1);
    expectSession(await t.rotate(1, record), 'rotated');
    t.clock.advance(idleMs - 1);
    expectSession(await t.rotate(2, record), 'rotated');
    t.clock.advance(idleMs);
    assertExpired(await t.rotate(3, record));
  },

  'ends a session at expiresAtMs, even if it is rotated daily': async (t) => {
    const record = await t.logIn(newSession('s1'));
    let { generation } = record;
    for (let day = 1; day < absoluteMs / DAY_MS; day += 1) {
      t.clock.advance(DAY_MS);
      const rotated = expectSession(await t.rotate(generation, record), 'rotated');
      assert.equal(rotated.expiresAtMs, record.expiresAtMs);
      generation = rotated.generation;
    }
    await t.elapseCheckingJustBefore(DAY_MS, async () =>
      expectSession(await t.rotate(generation, record), 'rotated'),
    );
    assert.equal(t.clock.nowMs(), record.expiresAtMs);
    assertExpired(await t.rotate(generation + 1, record));
  },

  'treats a session as live only before expiresAtMs, even within the grace': async (t) => {
    const record = await t.logIn(newSession('s1', { absoluteMs: DAY_MS }));
    t.clock.advance(DAY_MS - 1);
    assert.equal(await t.sessions.isLive(record), true);
    const rotated = expectSession(await t.rotate(1, record), 'rotated');
    assert.deepEqual(await t.listSessions(), [rotated]);
    t.clock.advance(1);
    assert.equal(await t.sessions.isLive(record), false);
    assert.deepEqual(await t.listSessions(), []);
    assertExpired(await t.rotate(1, record));
    assert.equal(await t.sessions.revoke(record), false);
  },

  'lists a session as live only before idleMs has passed': async (t) => {
    const idle = await t.logIn(newSession('idle'));
    const usedSession = await t.logIn(newSession('used'));
    t.clock.advance(idleMs - 1);
    assert.equal(await t.sessions.isLive(idle), true);
    // This rotation lengthens the idle time of one of both sessions.
    const longerMs = idleMs + DAY_MS;
    const rotation = rotateRequest(1, usedSession, { idleMs: longerMs });
    const rotated = expectSession(await t.sessions.rotate(rotation), 'rotated');
    assert.deepEqual(await t.listSessions(), [rotated, idle]);
    t.clock.advance(1);
    assert.equal(await t.sessions.isLive(idle), false);
    assertExpired(await t.rotate(1, idle));
    assert.equal(await t.sessions.revoke(idle), false);
    assert.deepEqual(await t.listSessions(), [rotated]);
    // To `longerMs` after the rotation, but for 1 ms.
    t.clock.advance(longerMs - 2);
    assert.equal(await t.sessions.isLive(usedSession), true);
    t.clock.advance(1);
    assert.equal(await t.sessions.isLive(usedSession), false);
    assert.deepEqual(await t.listSessions(), []);
  },

  'returns expired for an expired session, but not for a session revoked earlier': async (t) => {
    const expiredSession = await t.logIn(newSession('over', { absoluteMs: DAY_MS }));
    const otherExpired = await t.logIn(newSession('over too', { absoluteMs: DAY_MS }));
    const revokedSession = await t.logIn(newSession('revoked', { absoluteMs: DAY_MS }));
    await t.sessions.revoke(revokedSession);
    t.clock.advance(DAY_MS);
    // The first call after the end: another might have deleted the session.
    assert.equal(await t.sessions.revoke(otherExpired), false);
    const assertOutcomes = async () => {
      assertExpired(await t.rotate(1, expiredSession));
      const { outcome } = await t.rotate(1, revokedSession);
      assert.ok(['revoked', 'unknown'].includes(outcome), `revoked, not ${outcome}`);
    };
    await assertOutcomes();
    // A login may delete ended sessions, and must not confuse expired with revoked sessions.
    await t.logIn(newSession('next'));
    await assertOutcomes();
  },
});
