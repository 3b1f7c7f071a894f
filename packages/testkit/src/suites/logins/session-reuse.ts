import assert from 'node:assert/strict';
import { expectSession } from '../../actions/outcomes.ts';
import { loginSuite } from '../../fixtures/login-fixture.ts';
import { DEFAULTS, newSession } from '../../samples/login-samples.ts';

export const sessionReuse = loginSuite('sessions: reuse of an old token', {
  'ends the session when a predecessor is presented after the grace': async (t) => {
    const record = await t.logIn(newSession('s1'));
    await t.rotate(1, record);
    t.clock.advance(DEFAULTS.graceMs + 1);
    assert.equal((await t.rotate(1, record)).outcome, 'reused');
    await t.assertSessionEnded(record, 2);
  },

  'ends a session everywhere when a token two generations old is presented': async (t) => {
    const record = await t.logIn(newSession('s1'));
    await t.rotate(1, record);
    await t.rotate(2, record);
    const others = await t.connections(2);
    for (const other of others) assert.equal(await other.sessions.isLive(record), true);
    assert.equal((await t.rotate(1, record)).outcome, 'reused');
    assert.equal((await t.rotate(1, record)).outcome, 'revoked');
    for (const other of others) await other.assertSessionEnded(record, 3);
  },

  'keeps the other sessions of the user when an old token is presented': async (t) => {
    const stolen = await t.logIn(newSession('stolen'));
    const other = await t.logIn(newSession('other'));
    await t.rotate(1, stolen);
    await t.rotate(2, stolen);
    assert.equal((await t.rotate(1, stolen)).outcome, 'reused');
    assert.equal(await t.sessions.isLive(other), true);
    expectSession(await t.rotate(1, other), 'rotated');
  },
});
