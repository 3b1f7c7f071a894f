import { expect, onTestFinished } from 'vitest';
import type { TestAppOptions } from '../support/apps/test-app.ts';
import { makePat, managerOf, NEW_PAT, PATS } from '../support/clients/pat-calls.ts';
import { errorOf, get, revoke } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { storageSwitch } from '../support/storage/storage-switch.ts';

inEveryCell('personal access tokens managed by the host', (test) => {
  test('are revoked by revokeLeaked(), which returns their owner', async (app) => {
    const manager = await managerOf(app);
    const { id, token } = await makePat(manager);
    const { personalAccessTokens: pats } = app.auth;
    expect(await pats.revokeLeaked(`${token}0`)).toBeNull();
    expect(await pats.revokeLeaked('lh_pat_')).toBeNull();
    expect(await pats.revokeLeaked(token)).toMatchObject({ userId: 'ada', tokenId: id });
    expect(app.events.at(-1)).toEqual({
      type: 'personal_access_token.leaked',
      userId: 'ada',
      tokenId: id,
      accountId: null,
      clientAddress: null,
      userAgent: null,
      atMs: expect.any(Number),
    });
    expect((await get(app, '/me', token)).status).toBe(401);
    expect(await pats.revokeLeaked(token)).toBeNull();
  });

  test('are revoked by anybody who posts them to /token/revoke', async (app) => {
    const manager = await managerOf(app);
    const { id, token } = await makePat(manager);
    for (const text of [token, token, `${token}0`, `lh_pat_${'0'.repeat(36)}`]) {
      expect((await revoke(app, text)).status).toBe(200);
    }
    expect((await get(app, '/me', token)).status).toBe(401);
    const revoked = app.events.filter(({ type }) => type === 'personal_access_token.revoked');
    expect(revoked).toMatchObject([{ userId: 'ada', tokenId: id, clientAddress: '127.0.0.1' }]);
  });

  test('are listed and revoked for a user', async (app) => {
    const manager = await managerOf(app);
    const one = await makePat(manager, { name: 'one' });
    const two = await makePat(manager, { name: 'two' });
    app.users.change('alan', { scopes: ['user', 'auth'] });
    const other = await makePat(await managerOf(app, 'alan'));
    const { personalAccessTokens: pats } = app.auth;
    expect((await pats.list('ada')).map(({ name }) => name)).toEqual(['one', 'two']);
    expect(await pats.revokeAll('ada')).toBe(2);
    expect(await pats.list('ada')).toEqual([]);
    for (const { token } of [one, two]) expect((await get(app, '/me', token)).status).toBe(401);
    expect((await get(app, '/me', other.token)).status).toBe(200);
    expect(app.events).toContainEqual(
      expect.objectContaining({ type: 'personal_access_tokens.revoked_all', count: 2 }),
    );
  });

  test('survive the end of all sessions of their owner', async (app) => {
    const { token } = await makePat(await managerOf(app));
    await app.auth.sessions.revokeAll('ada');
    expect((await get(app, '/me', token)).status).toBe(200);
  });
});

const WITHOUT: readonly (readonly [why: string, options: TestAppOptions])[] = [
  ['the host disables them', { auth: { personalAccessTokens: false } }],
  [
    'its storage does not support them',
    { wrapStorage: ({ name, sessions, challenges }) => ({ name, sessions, challenges }) },
  ],
];

inEveryCell('an app without personal access tokens', (test) => {
  for (const [why, options] of WITHOUT) {
    test(
      `has no routes for personal access tokens and rejects them if ${why}`,
      async (app) => {
        expect((await app.send({ method: 'GET', path: PATS })).status).toBe(404);
        const wellFormed = 'lh_pat_abcdefghijklmnopqrstuvwxyz01232LolCm';
        expect((await get(app, '/me', wellFormed)).status).toBe(401);
        expect((await revoke(app, wellFormed)).status).toBe(200);
        await expect(app.auth.personalAccessTokens.revokeAll('ada')).rejects.toMatchObject({
          code: 'personal_access_tokens_missing',
        });
      },
      options,
    );
  }
});

const storage = storageSwitch();

inEveryCell(
  'personal access tokens while the storage is down',
  (test) => {
    test('get 503 when used, created, listed or revoked', async (app) => {
      const manager = await managerOf(app);
      const { id, token } = await makePat(manager);
      storage.mode = 'down';
      onTestFinished(() => {
        storage.mode = 'up';
      });
      for (const response of [
        await get(app, '/me', token),
        await revoke(app, token),
        await manager.send('POST', PATS, NEW_PAT),
        await manager.send('GET', PATS),
        await manager.send('DELETE', `${PATS}/${id}`),
      ]) {
        expect(errorOf(response, 503).error).toBe('temporarily_unavailable');
        expect(response.headers['retry-after']).toBe('1');
      }
      await expect(app.auth.personalAccessTokens.revokeLeaked(token)).rejects.toMatchObject({
        code: 'temporarily_unavailable',
      });
      storage.mode = 'up';
      expect((await get(app, '/me', token)).status).toBe(200);
    });
  },
  { wrapStorage: storage.wrap },
);
