import assert from 'node:assert/strict';
import { logIn } from '../../actions/log-in.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import { TEXT_ACCOUNTS } from '../../samples/account-samples.ts';
import { AWKWARD_TEXTS } from '../../samples/awkward-texts.ts';
import {
  ADA,
  AMPLE_LIMITS,
  DEFAULTS,
  newSession,
  rotateRequest,
} from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

export const sessionCreation: Suite<LoginFixture> = {
  name: 'sessions: creation',
  cases: {
    'creates a session at generation 1 with the given grant': async ({ sessions }) => {
      const session = newSession('s1');
      const { idleMs, absoluteMs, authenticationMs, ...grant } = session;
      const { createdAtMs, expiresAtMs, rotatedAtMs, ...record } = await logIn(sessions, session);
      assert.deepEqual(record, { ...grant, generation: 1 });
    },

    'returns the account id unchanged, as an integer or a text': async ({ sessions }) => {
      for (const [i, accountId] of [7, ...TEXT_ACCOUNTS].entries()) {
        const session = newSession(`s${i}`, { userId: `u${i}`, accountId });
        assert.equal((await logIn(sessions, session)).accountId, accountId);
        assert.equal((await sessions.list(session.userId))[0]?.accountId, accountId);
        const rotated = await sessions.rotate(rotateRequest(1, session));
        assert.equal(rotated.outcome === 'rotated' && rotated.session.accountId, accountId);
      }
    },

    'returns null and empty fields unchanged': async ({ sessions }) => {
      const absent = { accountId: null, clientAddress: null, userAgent: null } as const;
      await sessions.create(newSession('s1', { ...absent, scopes: [], amr: [] }), AMPLE_LIMITS);
      const [record] = await sessions.list(ADA);
      const { accountId, clientAddress, userAgent, scopes, amr } = record ?? {};
      assert.deepEqual({ accountId, clientAddress, userAgent }, absent);
      assert.deepEqual({ scopes, amr }, { scopes: [], amr: [] });
    },

    'takes timestamps from the storage clock': async ({ sessions, clock }) => {
      clock.advance(1234);
      const record = await logIn(sessions, newSession('s1'));
      assert.equal(record.createdAtMs, clock.nowMs());
      assert.equal(record.rotatedAtMs, clock.nowMs());
      assert.equal(record.expiresAtMs, clock.nowMs() + DEFAULTS.absoluteMs);
    },

    'returns records that survive a JSON round trip': async ({ sessions }) => {
      const record = await logIn(sessions, newSession('s1'));
      assert.deepEqual(JSON.parse(JSON.stringify(record)), record);
    },

    'shows a new session on every connection': async ({ sessions, connections }) => {
      const record = await logIn(sessions, newSession('s1'));
      for (const other of await connections(2)) {
        assert.equal(await other.sessions.isLive(record), true);
        assert.deepEqual(await other.sessions.list(ADA), [record]);
      }
    },

    'keeps similar user ids apart': async ({ sessions }) => {
      for (const userId of AWKWARD_TEXTS) {
        await sessions.create(newSession('same', { userId, userAgent: userId }), AMPLE_LIMITS);
      }
      for (const userId of AWKWARD_TEXTS) {
        const listed = await sessions.list(userId);
        assert.deepEqual(
          listed.map((record) => [record.userId, record.userAgent]),
          [[userId, userId]],
        );
      }
    },

    'keeps similar session ids apart': async ({ sessions }) => {
      const long = 'x'.repeat(64);
      const ids = ['ab', 'aB', 'Ab', 'ab-', 'ab_', '-ab', `${long}a`, `${long}b`];
      for (const id of ids) await logIn(sessions, newSession(id));
      for (const [i, id] of ids.entries()) {
        assert.equal(await sessions.revoke(newSession(id)), true, id);
        for (const [other, otherId] of ids.entries()) {
          assert.equal(await sessions.isLive(newSession(otherId)), other > i);
        }
      }
    },

    'finds a session only by user id and session id': async ({ sessions }) => {
      const record = await logIn(sessions, newSession('s1'));
      await sessions.create(newSession('s2', { userId: 'user-grace' }), AMPLE_LIMITS);
      const strange = { userId: 'user-grace', sessionId: 's1' };
      assert.equal((await sessions.rotate(rotateRequest(1, strange))).outcome, 'unknown');
      assert.equal(await sessions.isLive(strange), false);
      assert.equal(await sessions.revoke(strange), false);
      assert.equal(await sessions.isLive(record), true);
    },
  },
};
