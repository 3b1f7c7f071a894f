import assert from 'node:assert/strict';
import { loginSuite } from '../../fixtures/login-fixture.ts';
import { TEXT_ACCOUNTS } from '../../samples/account-samples.ts';
import { AWKWARD_TEXTS } from '../../samples/awkward-texts.ts';
import { AMPLE_LIMITS, newSession } from '../../samples/login-samples.ts';

export const sessionCreation = loginSuite('sessions: creation', {
  'returns a session as it was created, with times of the storage clock': async (t) => {
    t.clock.advance(1234);
    const { idleMs, absoluteMs, loginAgeMs, ...grant } = newSession('s1');
    const record = await t.logIn(newSession('s1'));
    assert.deepEqual(record, {
      ...grant,
      generation: 1,
      createdAtMs: t.clock.nowMs(),
      rotatedAtMs: t.clock.nowMs(),
      expiresAtMs: t.clock.nowMs() + absoluteMs,
    });
    assert.deepEqual(JSON.parse(JSON.stringify(record)), record);
    for (const other of await t.connections(2)) {
      assert.equal(await other.sessions.isLive(record), true);
      assert.deepEqual(await other.listSessions(), [record]);
    }
  },

  'returns the account id unchanged, as an integer or a text': async (t) => {
    for (const [i, accountId] of [7, ...TEXT_ACCOUNTS].entries()) {
      const session = newSession(`s${i}`, { userId: `u${i}`, accountId });
      assert.equal((await t.logIn(session)).accountId, accountId);
      assert.equal((await t.listSessions(session.userId))[0]?.accountId, accountId);
      const rotated = await t.rotate(1, session);
      assert.equal(rotated.outcome === 'rotated' && rotated.session.accountId, accountId);
    }
  },

  'returns null and empty fields unchanged': async (t) => {
    const absent = { accountId: null, clientAddress: null, userAgent: null } as const;
    await t.sessions.create(newSession('s1', { ...absent, scopes: [], amr: [] }), AMPLE_LIMITS);
    const [record] = await t.listSessions();
    const { accountId, clientAddress, userAgent, scopes, amr } = record ?? {};
    assert.deepEqual({ accountId, clientAddress, userAgent }, absent);
    assert.deepEqual({ scopes, amr }, { scopes: [], amr: [] });
  },

  'keeps similar user ids apart': async (t) => {
    for (const userId of AWKWARD_TEXTS) {
      await t.sessions.create(newSession('same', { userId, userAgent: userId }), AMPLE_LIMITS);
    }
    for (const userId of AWKWARD_TEXTS) {
      const listed = await t.listSessions(userId);
      assert.deepEqual(
        listed.map((record) => [record.userId, record.userAgent]),
        [[userId, userId]],
      );
    }
  },

  'keeps similar session ids apart': async (t) => {
    const long = 'x'.repeat(64);
    const ids = ['ab', 'aB', 'Ab', 'ab-', 'ab_', '-ab', `${long}a`, `${long}b`];
    for (const id of ids) await t.logIn(newSession(id));
    for (const [i, id] of ids.entries()) {
      assert.equal(await t.sessions.revoke(newSession(id)), true, id);
      for (const [other, otherId] of ids.entries()) {
        assert.equal(await t.sessions.isLive(newSession(otherId)), other > i);
      }
    }
  },

  'finds a session only by user id and session id': async (t) => {
    const record = await t.logIn(newSession('s1'));
    await t.sessions.create(newSession('s2', { userId: 'user-grace' }), AMPLE_LIMITS);
    const strange = { userId: 'user-grace', sessionId: 's1' };
    assert.equal((await t.rotate(1, strange)).outcome, 'unknown');
    assert.equal(await t.sessions.isLive(strange), false);
    assert.equal(await t.sessions.revoke(strange), false);
    assert.equal(await t.sessions.isLive(record), true);
  },
});
