import { expect, onTestFinished } from 'vitest';
import { startTestApp, type TestApp } from '../support/apps/test-app.ts';
import { expectRejectedToken } from '../support/clients/expect-rejected.ts';
import { makePat, managerOf, PATS } from '../support/clients/pat-calls.ts';
import { errorOf, get } from '../support/clients/token-calls.ts';
import { bodyOf, callsWith, type ListBody, register } from '../support/clients/webhook-calls.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

inEveryCell('a personal access token', (test) => {
  test('opens a route of the host, which gets its owner, scopes and accounts', async (app) => {
    const { id, token, created_at, expires_at } = await makePat(await managerOf(app), {
      scopes: ['user', 'admin'],
      account_id: 2,
    });
    for (const path of ['/me', '/checked', '/admin', '/accounts/2']) {
      expect(JSON.parse((await get(app, path, token)).body)).toEqual({
        credential: 'personal_access_token',
        userId: 'ada',
        scopes: ['user', 'admin'],
        accounts: [1, 2],
        accountId: 2,
        tokenId: id,
        issuedAtMs: Date.parse(created_at),
        expiresAtMs: Date.parse(expires_at),
        claims: {},
      });
    }
    expect(errorOf(await get(app, '/internal', token), 403).error).toBe('insufficient_scope');
    expect(errorOf(await get(app, '/accounts/1', token), 403).error).toBe('access_denied');
  });

  test('is rejected while its owner is disabled, but survives a change of the password', async (app) => {
    const { token } = await makePat(await managerOf(app));
    app.users.change('ada', { disabled: true });
    await expectRejectedToken(app, token);
    app.users.change('ada', { disabled: false });
    expect((await get(app, '/me', token)).status).toBe(200);
    app.users.change('ada', { passwordChangedAtMs: app.clock.nowMs() + 1 });
    expect((await get(app, '/me', token)).status).toBe(200);
  });

  test('is rejected once its owner has lost the account that it is bound to', async (app) => {
    const { token } = await makePat(await managerOf(app), { account_id: 2 });
    app.users.change('ada', { accounts: [1] });
    await expectRejectedToken(app, token);
    app.users.change('ada', { accounts: [2, 4] });
    expect(JSON.parse((await get(app, '/me', token)).body)).toMatchObject({ accounts: [2, 4] });
  });

  test('loses the scopes that its owner loses, and is rejected once it has none', async (app) => {
    const manager = await managerOf(app);
    const { token } = await makePat(manager, { scopes: ['user', 'admin'] });
    const { token: adminOnly } = await makePat(manager, { scopes: ['admin'] });
    app.users.change('ada', { scopes: ['user'] });
    expect(JSON.parse((await get(app, '/me', token)).body)).toMatchObject({ scopes: ['user'] });
    expect(errorOf(await get(app, '/admin', token), 403).error).toBe('insufficient_scope');
    await expectRejectedToken(app, adminOnly);
  });

  test(
    'opens the webhooks of its account only',
    async (app) => {
      const manager = await managerOf(app);
      const free = callsWith(app, (await makePat(manager)).token);
      const bound = callsWith(app, (await makePat(manager, { account_id: 2 })).token);
      expect((await register(free)).account_id).toBe(1);
      const { id } = await register(bound);
      expect(bodyOf<ListBody<object>>(await bound.send('GET', '/webhooks'), 200).data).toHaveLength(
        1,
      );
      const foreign = await bound.send('GET', `/webhooks/${id}?account_id=1`);
      expect(errorOf(foreign, 403).error).toBe('access_denied');
    },
    { auth: { webhooks: { worker: handDelivery() } } },
  );
});

inEveryCell('a personal access token that is revoked while it is used', (test) => {
  test('is rejected at any process once its revocation is acknowledged', async (app) => {
    const second = await startTestApp(app.cell, { sharedWith: app });
    onTestFinished(() => second.stop());
    const manager = await managerOf(app);
    const others = app.cell.storage === 'memory' ? [app] : [app, second];
    for (let round = 0; round < 5; round += 1) {
      const { id, token } = await makePat(manager);
      let isAcknowledged = false;
      const late: number[] = [];
      let passed = 0;
      const use = async (through: TestApp): Promise<void> => {
        // Until three requests began after the revocation was acknowledged.
        for (let after = 0; after < 3; ) {
          const begunLate = isAcknowledged;
          const { status } = await get(through, '/me', token);
          if (begunLate) {
            after += 1;
            late.push(status);
          } else if (status === 200) {
            passed += 1;
          }
        }
      };
      const uses = [...others, ...others, ...others].map(use);
      await expect.poll(() => passed).toBeGreaterThan(5);
      expect((await manager.send('DELETE', `${PATS}/${id}`)).status).toBe(204);
      isAcknowledged = true;
      await Promise.all(uses);
      expect(new Set(late)).toEqual(new Set([401]));
    }
    app.clearTranscript();
  });
});
