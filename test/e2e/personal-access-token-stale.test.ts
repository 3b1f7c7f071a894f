import { expect } from 'vitest';
import { expectRejectedToken } from '../support/clients/expect-rejected.ts';
import { makePat, managerOf, PATS } from '../support/clients/pat-calls.ts';
import { get } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

inEveryCell(
  'a personal access token under staleSeconds: 10',
  (test) => {
    test('opens, once revoked, a route of scope user until 10 s after its last check', async (app) => {
      const manager = await managerOf(app);
      const { id, token } = await makePat(manager);
      expect((await get(app, '/me', token)).status).toBe(200);
      await manager.send('DELETE', `${PATS}/${id}`);
      app.clock.advance(9_999);
      expect((await get(app, '/me', token)).status).toBe(200);
      expect((await get(app, '/checked', token)).status).toBe(401);
      expect((await manager.send('GET', PATS)).status).toBe(200);
      app.clock.advance(1);
      await expectRejectedToken(app, token);
    });

    test('is rejected immediately once revoked if it has another scope than user', async (app) => {
      const manager = await managerOf(app);
      const { id, token } = await makePat(manager, { scopes: ['user', 'admin'] });
      expect((await get(app, '/me', token)).status).toBe(200);
      await manager.send('DELETE', `${PATS}/${id}`);
      await expectRejectedToken(app, token);
    });

    test('is rejected immediately if its owner is disabled, and when it expires', async (app) => {
      const { token } = await makePat(await managerOf(app), { expiration_seconds: 600 });
      app.clock.advance(599_000);
      expect((await get(app, '/me', token)).status).toBe(200);
      app.users.change('ada', { disabled: true });
      await expectRejectedToken(app, token);
      app.users.change('ada', { disabled: false });
      app.clock.advance(1_000);
      await expectRejectedToken(app, token);
    });
  },
  { auth: { personalAccessTokens: { staleSeconds: 10 } } },
);
