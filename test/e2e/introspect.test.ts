import { expect } from 'vitest';
import {
  expectInactive,
  INTROSPECT,
  introspect,
  serviceOf,
} from '../support/clients/introspect-calls.ts';
import { makePat, managerOf } from '../support/clients/pat-calls.ts';
import {
  errorOf,
  get,
  JSON_TYPE,
  pendingChallenge,
  revoke,
  session,
} from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

inEveryCell('introspection', (test) => {
  test('returns the same response for every invalid token', async (app) => {
    const ask = await serviceOf(app);
    const { access_token, refresh_token } = await session(app);
    for (const token of [
      'x',
      'a.b.c',
      'lh_rt_x',
      'lh_pat_x',
      'lh_pat_abcdefghijklmnopqrstuvwxyz01232LolCm',
      `${access_token}A`,
      `${refresh_token}A`,
      await pendingChallenge(app),
      'é\u0000\ud83d',
      'x'.repeat(9000),
    ]) {
      expectInactive(await ask(token));
    }
  });

  test('needs the scope internal, in an access token or a personal access token', async (app) => {
    const body = JSON.stringify({ token: 'x' });
    const stranger = await app.send({ method: 'POST', path: INTROSPECT, headers: JSON_TYPE, body });
    expect(errorOf(stranger, 401).error).toBe('invalid_token');
    expect(stranger.headers['www-authenticate']).toBe('Bearer');
    const { access_token } = await session(app, 'ada', { scopes: 'user,admin' });
    const weak = await introspect(app, access_token, body);
    expect(errorOf(weak, 403).error).toBe('insufficient_scope');
    expect(weak.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="internal"',
    );
    const { token } = await makePat(await managerOf(app), { scopes: ['internal'] });
    expect((await introspect(app, token, body)).status).toBe(200);
    await revoke(app, token);
    expect((await introspect(app, token, body)).status).toBe(401);
  });

  test('names the field token if it is missing or mistyped', async (app) => {
    const { access_token: bearer } = await session(app, 'ada', { scopes: 'internal' });
    for (const body of [{}, { token: '' }, { token: 1 }, { token: null }, { token: ['x'] }]) {
      const response = await introspect(app, bearer, JSON.stringify(body));
      expect(errorOf(response).errors).toMatchObject([{ field: 'token' }]);
    }
    expect((await introspect(app, bearer, '{')).status).toBe(400);
    expect((await get(app, INTROSPECT, bearer)).headers['allow']).toBe('POST');
  });
});
