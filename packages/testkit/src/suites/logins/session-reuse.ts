import assert from 'node:assert/strict';
import { logIn } from '../../actions/log-in.ts';
import { assertSessionEnded, expectSession } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import { DEFAULTS, newSession, rotateRequest } from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

export const sessionReuse: Suite<LoginFixture> = {
  name: 'sessions: reuse of an old token',
  cases: {
    'ends the session when a predecessor is presented after the grace': async ({
      storage,
      sessions,
      clock,
    }) => {
      const record = await logIn(sessions, newSession('s1'));
      await sessions.rotate(rotateRequest(1, record));
      clock.advance(DEFAULTS.graceMs + 1);
      assert.equal((await sessions.rotate(rotateRequest(1, record))).outcome, 'reused');
      await assertSessionEnded(storage, record, 2);
    },

    'ends the session when a token two generations old is presented, even within the grace':
      async ({ storage, sessions }) => {
        const record = await logIn(sessions, newSession('s1'));
        await sessions.rotate(rotateRequest(1, record));
        await sessions.rotate(rotateRequest(2, record));
        assert.equal((await sessions.rotate(rotateRequest(1, record))).outcome, 'reused');
        await assertSessionEnded(storage, record, 3);
      },

    'ends the session on every connection when an old token is presented': async ({
      sessions,
      connections,
    }) => {
      const record = await logIn(sessions, newSession('s1'));
      await sessions.rotate(rotateRequest(1, record));
      await sessions.rotate(rotateRequest(2, record));
      const others = await connections(2);
      for (const other of others) assert.equal(await other.sessions.isLive(record), true);
      await sessions.rotate(rotateRequest(1, record));
      for (const other of others) await assertSessionEnded(other, record, 3);
    },

    'returns reused to the first presentation of an old token, then revoked': async ({
      sessions,
    }) => {
      const record = await logIn(sessions, newSession('s1'));
      await sessions.rotate(rotateRequest(1, record));
      await sessions.rotate(rotateRequest(2, record));
      assert.equal((await sessions.rotate(rotateRequest(1, record))).outcome, 'reused');
      assert.equal((await sessions.rotate(rotateRequest(1, record))).outcome, 'revoked');
    },

    'keeps the other sessions of the user when an old token is presented': async ({ sessions }) => {
      const stolen = await logIn(sessions, newSession('stolen'));
      const other = await logIn(sessions, newSession('other'));
      await sessions.rotate(rotateRequest(1, stolen));
      await sessions.rotate(rotateRequest(2, stolen));
      assert.equal((await sessions.rotate(rotateRequest(1, stolen))).outcome, 'reused');
      assert.equal(await sessions.isLive(other), true);
      expectSession(await sessions.rotate(rotateRequest(1, other)), 'rotated');
    },
  },
};
