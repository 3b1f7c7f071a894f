import type { TimedSecurityEvent } from '@latchhook/core';
import { expect } from 'vitest';
import type { TestApp } from '../support/apps/test-app.ts';
import { makePat, managerOf } from '../support/clients/pat-calls.ts';
import { logInWithCalls, SESSIONS } from '../support/clients/session-calls.ts';
import { logIn, revoke, session } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const FROM = { clientAddress: '127.0.0.1', userAgent: null };
const ADMIN_PAGE = { clientAddress: '192.0.2.7', userAgent: 'the admin page' };

/** The last event, without its time. */
function lastEvent(app: TestApp): Omit<TimedSecurityEvent, 'atMs'> | undefined {
  const last = app.events.at(-1);
  if (last === undefined) return undefined;
  const { atMs, ...event } = last;
  expect(atMs).toBe(app.clock.nowMs());
  return event;
}

inEveryCell('security events', (test) => {
  test('report a login with its address, and a rejected login with the reason', async (app) => {
    await session(app, 'ada', { account_id: 2 });
    expect(lastEvent(app)).toEqual({
      type: 'login.succeeded',
      userId: 'ada',
      sessionId: expect.any(String),
      accountId: 2,
      scopes: ['user'],
      amr: ['pwd'],
      actor: 'user',
      ...FROM,
    });
    const alan = { username: 'alan@example.com', userId: 'alan', actor: 'user', ...FROM };
    const failed = { type: 'login.failed', ...alan };
    await logIn(app, 'alan', { account_id: 1 });
    expect(lastEvent(app)).toEqual({ ...failed, reason: 'account_denied' });
    await logIn(app, 'alan', { scopes: 'admin' });
    expect(lastEvent(app)).toEqual({ ...failed, reason: 'scope_denied' });
  });

  test('report whether the user, a token holder or the host ended a session', async (app) => {
    const [mine, other] = [await logInWithCalls(app), await logInWithCalls(app)];
    await mine.send('DELETE', `${SESSIONS}/${other.id}`);
    const revoked = { type: 'session.revoked', userId: 'ada' };
    expect(lastEvent(app)).toEqual({ ...revoked, sessionId: other.id, actor: 'user', ...FROM });
    await revoke(app, mine.tokens.refresh_token);
    expect(lastEvent(app)).toEqual({ ...revoked, sessionId: mine.id, actor: 'holder', ...FROM });
    await app.auth.sessions.revokeAll('ada', ADMIN_PAGE);
    expect(lastEvent(app)).toEqual({
      type: 'sessions.revoked_all',
      userId: 'ada',
      actor: 'host',
      ...ADMIN_PAGE,
    });
  });

  test('report who revoked a personal access token, and that the host unlocked a factor', async (app) => {
    const manager = await managerOf(app);
    const [revokedPat, leakedPat] = [
      await makePat(manager),
      await makePat(manager, { name: 'another' }),
    ];
    await revoke(app, revokedPat.token);
    expect(lastEvent(app)).toEqual({
      type: 'personal_access_token.revoked',
      userId: 'ada',
      tokenId: revokedPat.id,
      accountId: null,
      actor: 'holder',
      ...FROM,
    });
    await app.auth.personalAccessTokens.revokeLeaked(leakedPat.token, ADMIN_PAGE);
    expect(lastEvent(app)).toMatchObject({ type: 'personal_access_token.leaked', ...ADMIN_PAGE });
    await app.auth.personalAccessTokens.revokeAll('ada', ADMIN_PAGE);
    expect(lastEvent(app)).toMatchObject({ count: 0, ...ADMIN_PAGE });
    await app.auth.factors.unlock('ada', ADMIN_PAGE);
    expect(lastEvent(app)).toEqual({ type: 'factor.unlocked', userId: 'ada', ...ADMIN_PAGE });
  });
});
