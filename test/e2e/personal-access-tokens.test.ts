import { expect } from 'vitest';
import { listPats, makePat, managerOf, NEW_PAT, PATS } from '../support/clients/pat-calls.ts';
import { errorOf, get, JSON_TYPE } from '../support/clients/token-calls.ts';
import { bodyOf, callsOf, callsWith, type ListBody } from '../support/clients/webhook-calls.ts';
import { onEnginesToo } from '../support/storage/in-every-cell.ts';

onEnginesToo('GET /users/self/pats', (test) => {
  test('lists the live tokens of the user, oldest first, page by page', async (app) => {
    const manager = await managerOf(app);
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      const { token: _token, ...listed } = await makePat(manager, { name });
      ids.push(listed.id);
      expect((await listPats(manager)).at(-1)).toEqual(listed);
    }
    const pages: string[] = [];
    let cursor = '';
    do {
      const response = await manager.send('GET', `${PATS}?limit=2${cursor && `&cursor=${cursor}`}`);
      const page = bodyOf<ListBody<{ readonly id: string }>>(response, 200);
      pages.push(page.data.map(({ id }) => id).join());
      cursor = page.next_cursor ?? '';
    } while (cursor !== '');
    expect(pages).toEqual([`${ids[0]},${ids[1]}`, ids[2]]);
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=x', 'limit=1&limit=2']) {
      expect(errorOf(await manager.send('GET', `${PATS}?${query}`)).error).toBe('invalid_request');
    }
    app.users.change('alan', { scopes: ['auth'] });
    expect(await listPats(await managerOf(app, 'alan'))).toEqual([]);
  });

  test('has the time of the last use to the minute', async (app) => {
    const manager = await managerOf(app);
    const { id, token } = await makePat(manager);
    const startMs = app.clock.nowMs();
    /** The recorded time of the last use, ms since the start of the test. */
    const usedAt = async () => {
      const listed = (await listPats(manager)).find((each) => each.id === id);
      return Date.parse(listed?.last_used_at ?? '') - startMs;
    };
    await get(app, '/me', token);
    expect(await usedAt()).toBe(0);
    app.clock.advance(59_999);
    await get(app, '/me', token);
    expect(await usedAt()).toBe(0);
    app.clock.advance(1);
    await get(app, '/me', token);
    expect(await usedAt()).toBe(60_000);
  });
});

onEnginesToo('DELETE /users/self/pats/{id}', (test) => {
  test('revokes a token, and responds with 404 the second time', async (app) => {
    const manager = await managerOf(app);
    const { id, token } = await makePat(manager);
    const remainingPat = await makePat(manager);
    expect((await get(app, '/me', token)).status).toBe(200);
    const response = await manager.send('DELETE', `${PATS}/${id}`);
    expect([response.status, response.body]).toEqual([204, '']);
    expect(response.headers['cache-control']).toBe('no-store');
    expect((await get(app, '/me', token)).status).toBe(401);
    expect((await get(app, '/me', remainingPat.token)).status).toBe(200);
    expect((await manager.send('DELETE', `${PATS}/${id}`)).status).toBe(404);
  });

  test('responds to the token of another user as to an unknown one, to the byte', async (app) => {
    const { id, token } = await makePat(await managerOf(app));
    app.users.change('alan', { scopes: ['auth'] });
    const alan = await managerOf(app, 'alan');
    const expected = await alan.send('DELETE', `${PATS}/pat_unknown`);
    expect(errorOf(expected, 404).error).toBe('not_found');
    for (const unknown of [id, token, 'x', '..%2f', '%00', 'x'.repeat(200)]) {
      const response = await alan.send('DELETE', `${PATS}/${unknown}`);
      expect([response.status, response.body]).toEqual([404, expected.body]);
    }
    expect((await get(app, '/me', token)).status).toBe(200);
  });
});

onEnginesToo('the routes for personal access tokens', (test) => {
  test('need an access token with the scope auth', async (app) => {
    const weak = await callsOf(app, 'ada', { scopes: 'user,admin,internal' });
    const { id, token } = await makePat(await managerOf(app), {
      scopes: ['user', 'admin', 'internal'],
    });
    for (const calls of [weak, callsWith(app, token)]) {
      for (const [method, path] of [
        ['POST', PATS],
        ['GET', PATS],
        ['DELETE', `${PATS}/${id}`],
      ] as const) {
        const response = await calls.send(method, path, method === 'POST' ? NEW_PAT : undefined);
        expect(errorOf(response, 403).error).toBe('insufficient_scope');
        expect(response.headers['www-authenticate']).toBe(
          'Bearer error="insufficient_scope", scope="auth"',
        );
        const stranger = await app.send({ method, path });
        expect(errorOf(stranger, 401).error).toBe('invalid_token');
        expect(stranger.headers['www-authenticate']).toBe('Bearer');
      }
    }
  });

  test('accept only JSON, and respond to other methods with 405 and Allow', async (app) => {
    const manager = await managerOf(app);
    const authorization = ['authorization', `Bearer ${manager.accessToken}`];
    const form = ['content-type', 'application/x-www-form-urlencoded', ...authorization];
    const formRequest = { method: 'POST', path: PATS, headers: form, body: 'name=x&scopes=user' };
    expect((await app.send(formRequest)).status).toBe(415);
    const broken = [...JSON_TYPE, ...authorization];
    expect(errorOf(await app.send({ ...formRequest, headers: broken, body: '{' })).error).toBe(
      'invalid_request',
    );
    for (const [path, allow] of [
      [PATS, 'POST, GET, HEAD'],
      [`${PATS}/pat_x`, 'DELETE'],
    ] as const) {
      const response = await app.send({ method: 'PUT', path });
      expect([response.status, response.headers['allow']]).toEqual([405, allow]);
    }
  });
});
