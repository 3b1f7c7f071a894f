import { expect } from 'vitest';
import type { TestApp } from '../support/apps/test-app.ts';
import { makePat, managerOf } from '../support/clients/pat-calls.ts';
import {
  type LoggedIn,
  listSessions,
  logInWithCalls,
  SESSIONS,
} from '../support/clients/session-calls.ts';
import {
  answerChallenge,
  errorOf,
  get,
  logIn,
  NOT_FOUND_BODY,
  pendingChallenge,
  postJson,
  refresh,
  tokensOf,
  totp,
} from '../support/clients/token-calls.ts';
import { callsOf, callsWith } from '../support/clients/webhook-calls.ts';
import { heldPasswords } from '../support/storage/held-passwords.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { TOTP_STEP_MS } from '../support/time/policy-times.ts';

/** Expects that its tokens are rejected by a refresh, a route of Latchhook and a host route that checks sessions. */
async function expectEnded(app: TestApp, { tokens, accessToken }: LoggedIn): Promise<void> {
  expect(errorOf(await refresh(app, tokens.refresh_token)).error).toBe('invalid_grant');
  const response = await callsWith(app, accessToken).send('GET', SESSIONS);
  expect(errorOf(response, 401).error).toBe('invalid_token');
  expect((await get(app, '/checked', accessToken)).status).toBe(401);
}

async function expectLive(app: TestApp, { accessToken }: LoggedIn): Promise<void> {
  expect((await get(app, '/checked', accessToken)).status).toBe(200);
}

inEveryCell('DELETE /users/self/sessions', (test) => {
  test('ends another session by id, whose access and refresh tokens are then rejected', async (app) => {
    const [mine, other] = [await logInWithCalls(app), await logInWithCalls(app)];
    await expectLive(app, other);
    expect((await mine.send('DELETE', `${SESSIONS}/${other.id}`)).status).toBe(204);
    await expectEnded(app, other);
    await expectLive(app, mine);
    expect((await listSessions(mine)).map(({ id }) => id)).toEqual([mine.id]);
    expect(app.events.find(({ type }) => type === 'session.revoked')).toMatchObject({
      type: 'session.revoked',
      userId: 'ada',
      sessionId: other.id,
      clientAddress: '127.0.0.1',
    });
  });

  test('responds to a foreign, ended or unknown session id with the same 404, to the byte', async (app) => {
    const [mine, ended] = [await logInWithCalls(app), await logInWithCalls(app)];
    const alan = await logInWithCalls(app, 'alan');
    await mine.send('DELETE', `${SESSIONS}/${ended.id}`);
    const ids = [alan.id, ended.id, 'A'.repeat(22), 'x', '..%2f', '%00', 'x'.repeat(200)];
    for (const id of ids) {
      const response = await mine.send('DELETE', `${SESSIONS}/${id}`);
      expect([response.status, response.body]).toEqual([404, NOT_FOUND_BODY]);
      expect(response.headers['cache-control']).toBe('no-store');
    }
    await expectLive(app, alan);
  });

  test('ends all sessions and every pending challenge', async (app) => {
    const fields = { code: totp(app) };
    const tokens = tokensOf(await answerChallenge(app, await pendingChallenge(app), fields));
    const challenge = await pendingChallenge(app);
    app.clock.advance(TOTP_STEP_MS);
    const grace = callsWith(app, tokens.access_token);
    expect((await grace.send('DELETE', SESSIONS)).status).toBe(204);
    expect(errorOf(await refresh(app, tokens.refresh_token)).error).toBe('invalid_grant');
    expect((await grace.send('GET', SESSIONS)).status).toBe(401);
    const response = await answerChallenge(app, challenge, { code: totp(app) });
    expect(errorOf(response).error_description).toBe('The challenge is not valid.');
    expect(app.events).toContainEqual(
      expect.objectContaining({
        type: 'sessions.revoked_all',
        userId: 'grace',
        clientAddress: '127.0.0.1',
      }),
    );
  });

  test('ends all sessions but the current one with except=current', async (app) => {
    const [one, mine, two] = [
      await logInWithCalls(app),
      await logInWithCalls(app),
      await logInWithCalls(app),
    ];
    const alan = await logInWithCalls(app, 'alan');
    expect((await mine.send('DELETE', `${SESSIONS}?except=current`)).status).toBe(204);
    await expectEnded(app, one);
    await expectEnded(app, two);
    await expectLive(app, mine);
    await expectLive(app, alan);
    tokensOf(await refresh(app, mine.tokens.refresh_token));
    expect((await listSessions(mine)).map(({ id }) => id)).toEqual([mine.id]);
    expect(app.events).toContainEqual(
      expect.objectContaining({ type: 'sessions.revoked_others', sessionId: mine.id }),
    );
  });

  test('rejects values of except other than current', async (app) => {
    const mine = await logInWithCalls(app);
    for (const query of ['except=', 'except=others', 'except=current&except=current']) {
      const response = await mine.send('DELETE', `${SESSIONS}?${query}`);
      expect(errorOf(response).errors?.map(({ field }) => field)).toEqual(['except']);
    }
    await expectLive(app, mine);
  });

  test('needs an access token with the scope user', async (app) => {
    const mine = await logInWithCalls(app);
    const { token } = await makePat(await managerOf(app));
    const admin = await callsOf(app, 'ada', { scopes: 'admin,internal,auth' });
    for (const [method, path] of [
      ['GET', SESSIONS],
      ['DELETE', SESSIONS],
      ['DELETE', `${SESSIONS}?except=current`],
      ['DELETE', `${SESSIONS}/${mine.id}`],
    ] as const) {
      const byPat = await callsWith(app, token).send(method, path);
      expect(errorOf(byPat, 403).error).toBe('access_denied');
      const byAdmin = await admin.send(method, path);
      expect(errorOf(byAdmin, 403).error).toBe('insufficient_scope');
      expect(byAdmin.headers['www-authenticate']).toContain('scope="user"');
      const stranger = await app.send({ method, path });
      expect(errorOf(stranger, 401).error).toBe('invalid_token');
      expect(stranger.headers['www-authenticate']).toBe('Bearer');
    }
    await expectLive(app, mine);
    expect((await postJson(app, SESSIONS, {})).headers['allow']).toBe('GET, HEAD, DELETE');
  });
});

inEveryCell('a pending login', (test) => {
  const passwords = heldPasswords();

  test(
    'is rejected if all other sessions are ended while it is pending',
    async (app) => {
      const mine = await logInWithCalls(app);
      const checkStarted = passwords.hold();
      const late = logIn(app, 'ada');
      await checkStarted;
      expect((await mine.send('DELETE', `${SESSIONS}?except=current`)).status).toBe(204);
      passwords.release();
      expect(errorOf(await late).error).toBe('invalid_grant');
      expect((await listSessions(mine)).map(({ id }) => id)).toEqual([mine.id]);
      app.clock.advance(1);
      tokensOf(await logIn(app, 'ada'));
    },
    { passwords: passwords.options },
  );
});
