import { expect } from 'vitest';
import { listSessions, logInWithCalls, SESSIONS } from '../support/clients/session-calls.ts';
import { errorOf, refresh, tokensOf } from '../support/clients/token-calls.ts';
import { bodyOf, callsOf, callsWith } from '../support/clients/webhook-calls.ts';
import { onEnginesToo } from '../support/storage/in-every-cell.ts';

const DAY_MS = 86_400_000;

onEnginesToo('GET /users/self/sessions', (test) => {
  test('describes the current session', async (app) => {
    const login = { username: 'ada@example.com', password: 'correct horse battery staple' };
    const response = await app.send({
      method: 'POST',
      path: '/token',
      headers: ['content-type', 'application/json', 'user-agent', 'curl/8'],
      body: JSON.stringify({ ...login, account_id: 2 }),
    });
    const calls = callsWith(app, tokensOf(response).access_token);
    const now = app.clock.nowMs();
    expect(bodyOf(await calls.send('GET', SESSIONS), 200)).toEqual({
      data: [
        {
          object: 'Session',
          id: expect.stringMatching(/^[\w-]{22}$/),
          created_at: new Date(now).toISOString(),
          last_used_at: new Date(now).toISOString(),
          expires_at: new Date(now + 30 * DAY_MS).toISOString(),
          address: '127.0.0.1',
          user_agent: 'curl/8',
          amr: ['pwd'],
          account_id: 2,
          current: true,
        },
      ],
      next_cursor: null,
    });
  });

  test('lists the sessions of the user, newest first, and marks the current one', async (app) => {
    const first = await logInWithCalls(app);
    app.clock.advance(1000);
    const second = await logInWithCalls(app);
    await logInWithCalls(app, 'alan');
    const listed = await listSessions(first);
    expect(listed.map(({ id, current }) => [id, current])).toEqual([
      [second.id, false],
      [first.id, true],
    ]);
  });

  test('has the times of the last refresh and of the expiry', async (app) => {
    const login = await logInWithCalls(app);
    for (const days of [29, 29, 29]) {
      app.clock.advance(days * DAY_MS);
      const { refresh_token } = tokensOf(await refresh(app, login.tokens.refresh_token));
      Object.assign(login.tokens, { refresh_token });
    }
    const now = app.clock.nowMs();
    const fresh = await logInWithCalls(app);
    const old = (await listSessions(fresh)).find(({ id }) => id === login.id);
    expect(old).toMatchObject({
      created_at: new Date(now - 87 * DAY_MS).toISOString(),
      last_used_at: new Date(now).toISOString(),
      // Refreshes do not extend the 90 days from the login.
      expires_at: new Date(now + 3 * DAY_MS).toISOString(),
    });
  });

  test('rejects an invalid limit or cursor', async (app) => {
    const calls = await callsOf(app);
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=x', 'limit=1&limit=1']) {
      const response = await calls.send('GET', `${SESSIONS}?${query}`);
      expect(errorOf(response).error).toBe('invalid_request');
    }
  });
});
