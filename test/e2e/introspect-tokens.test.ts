import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { ISSUER } from '../support/apps/test-app.ts';
import { claimsIn, expectInactive, serviceOf } from '../support/clients/introspect-calls.ts';
import { makePat, managerOf } from '../support/clients/pat-calls.ts';
import { refresh, revoke, session, tokensOf } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { GRACE_MS, SECOND_MS } from '../support/time/policy-times.ts';

inEveryCell('introspection of an access token', (test) => {
  test('returns its claims', async (app) => {
    const ask = await serviceOf(app);
    const { access_token } = await session(app, 'ada', { scopes: 'user,admin', account_id: 2 });
    const { iss, aud, sub, exp, iat, jti, client_id, scope, sid, accounts, account_id } =
      decodeJwt(access_token);
    const response = await ask(access_token);
    expect(claimsIn(response)).toEqual({
      active: true,
      token_type: 'bearer',
      iss,
      aud,
      sub,
      exp,
      iat,
      jti,
      client_id,
      scope,
      sid,
      accounts,
      account_id,
    });
    expect(response.headers['cache-control']).toBe('no-store');
    expect(claimsIn(await ask((await session(app)).access_token))).not.toHaveProperty('account_id');
  });

  test('returns inactive once it has expired or its session has ended', async (app) => {
    const ask = await serviceOf(app);
    const one = await session(app);
    const two = await session(app, 'ada', { expiration_seconds: 600 });
    await revoke(app, one.refresh_token);
    expectInactive(await ask(one.access_token));
    expect(claimsIn(await ask(two.access_token))).toMatchObject({ active: true });
    app.clock.advance(600_000);
    expectInactive(await ask(two.access_token));
  });
});

inEveryCell('introspection of a refresh token', (test) => {
  test('returns the scopes that an exchange would grant, and when the token expires', async (app) => {
    const ask = await serviceOf(app);
    const login = { scopes: 'user,admin,auth', account_id: 1 };
    const { refresh_token, access_token } = await session(app, 'ada', login);
    const { sid, iat = 0 } = decodeJwt(access_token);
    const body = claimsIn(await ask(refresh_token));
    expect(body).toEqual({
      active: true,
      token_type: 'refresh_token',
      scope: 'user admin',
      client_id: 'first-party',
      sub: 'ada',
      iss: ISSUER,
      iat: expect.any(Number),
      exp: Number(body['iat']) + 30 * 86_400,
      sid,
      account_id: 1,
    });
    expect(Math.abs(Number(body['iat']) - iat)).toBeLessThanOrEqual(1);
  });

  test('does not consume the token, and returns inactive for a predecessor', async (app) => {
    const ask = await serviceOf(app);
    const { refresh_token: first } = await session(app);
    for (let i = 0; i < 3; i += 1) {
      expect(claimsIn(await ask(first))).toMatchObject({ active: true });
    }
    const { refresh_token: second } = tokensOf(await refresh(app, first));
    expectInactive(await ask(first));
    expect(claimsIn(await ask(second))).toMatchObject({ active: true });
    app.clock.advance(GRACE_MS + SECOND_MS);
    expectInactive(await ask(first));
    expect((await refresh(app, second)).status).toBe(200);
  });

  test('returns inactive if an exchange would be rejected', async (app) => {
    const ask = await serviceOf(app);
    const revoked = await session(app);
    await revoke(app, revoked.access_token);
    expectInactive(await ask(revoked.refresh_token));

    const { refresh_token } = await session(app, 'alan', {
      account_id: 3,
    });
    for (const change of [
      { disabled: true },
      { accounts: [] },
      { scopes: ['auth'] },
      { passwordChangedAtMs: app.clock.nowMs() + 1000 },
    ] as const) {
      app.users.change('alan', change);
      expectInactive(await ask(refresh_token));
      app.users.change('alan', {
        disabled: false,
        accounts: [3],
        scopes: ['user'],
        passwordChangedAtMs: 0,
      });
      expect(claimsIn(await ask(refresh_token))).toMatchObject({ active: true });
    }
    app.clock.advance(30 * 86_400_000);
    expectInactive(await (await serviceOf(app))(refresh_token));
  });
});

inEveryCell('introspection of a personal access token', (test) => {
  test('returns its owner, scopes and accounts', async (app) => {
    const ask = await serviceOf(app);
    const { id, token, created_at, expires_at } = await makePat(await managerOf(app), {
      scopes: ['user', 'admin'],
      account_id: 2,
    });
    const seconds = (time: string) => Math.floor(Date.parse(time) / 1000);
    expect(claimsIn(await ask(token))).toEqual({
      active: true,
      token_type: 'bearer',
      scope: 'user admin',
      sub: 'ada',
      iss: ISSUER,
      aud: ISSUER,
      iat: seconds(created_at),
      exp: seconds(expires_at),
      jti: id,
      accounts: [1, 2],
      account_id: 2,
    });
  });

  test('returns inactive if its owner is disabled or it was revoked', async (app) => {
    const ask = await serviceOf(app);
    const { token } = await makePat(await managerOf(app));
    app.users.change('ada', { accounts: [], disabled: true });
    expectInactive(await ask(token));
    app.users.change('ada', { disabled: false });
    expect(claimsIn(await ask(token))).toMatchObject({ active: true, accounts: [] });
    await app.auth.personalAccessTokens.revokeAll('ada');
    expectInactive(await ask(token));
  });
});
