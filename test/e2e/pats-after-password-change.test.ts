import { expect } from 'vitest';
import { listPats, makePat, managerOf, NEW_PAT, PATS } from '../support/clients/pat-calls.ts';
import { errorOf, get } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

inEveryCell('personal access tokens after a change of the password', (test) => {
  test('cannot be created by a login with the old password', async (app) => {
    const thief = await managerOf(app);
    app.clock.advance(1);
    app.users.change('ada', { passwordChangedAtMs: app.clock.nowMs() });
    const rejected = await thief.send('POST', PATS, NEW_PAT);
    expect(errorOf(rejected, 401).error).toBe('invalid_token');
    // In the same second, because `auth_time` has seconds only.
    const owner = await managerOf(app);
    expect(await listPats(owner)).toEqual([]);
    await makePat(owner);
  });

  test('go on working if they were created before', async (app) => {
    const { token } = await makePat(await managerOf(app));
    app.clock.advance(2000);
    app.users.change('ada', { passwordChangedAtMs: app.clock.nowMs() });
    expect((await get(app, '/me', token)).status).toBe(200);
  });
});
