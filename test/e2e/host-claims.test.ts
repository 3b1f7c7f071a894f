import { createAuth, type HostClaims, type User } from '@latchhook/core';
import { type authOf, requireAuth } from '@latchhook/koa';
import { expect, expectTypeOf, it } from 'vitest';
import { postJson, session } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

/** The callback for `accessTokenClaims`, which tests replace. */
const next: { claims: (user: User) => unknown } = { claims: () => ({}) };

const accessTokenClaims = async (user: User, login: object) =>
  ({ ...(next.claims(user) as object), login }) as HostClaims;

function claimsIn(accessToken: string) {
  return JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
}

inEveryCell(
  'an access token with claims of the host',
  (test) => {
    test('contains the claims from the login on, and new claims after each refresh', async (app) => {
      next.claims = (user) => ({ plan: 'free', name: user.username });
      const login = await session(app);
      expect(claimsIn(login.access_token)).toMatchObject({
        plan: 'free',
        login: { accountId: null, scopes: ['user'], authTimeMs: app.clock.nowMs() },
        scope: 'user',
      });
      next.claims = () => ({ plan: 'pro' });
      const refreshed = await postJson(app, '/token', {
        grant_type: 'refresh_token',
        refresh_token: login.refresh_token,
      });
      expect(claimsIn(JSON.parse(refreshed.body).access_token)).toMatchObject({ plan: 'pro' });
    });

    test('is not issued with reserved claims or if the callback throws, and the refresh token stays valid', async (app) => {
      next.claims = () => ({});
      const login = await session(app);
      next.claims = () => ({ sub: 'mallory' });
      const fields = { grant_type: 'refresh_token', refresh_token: login.refresh_token };
      const rejected = await postJson(app, '/token', fields);
      expect(rejected.status).toBe(500);
      expect(rejected.body).not.toContain('mallory');
      expect(app.events.at(-1)).toMatchObject({ type: 'fault', where: 'host' });
      next.claims = () => {
        throw new Error('the table of plans is gone');
      };
      expect((await postJson(app, '/token', fields)).status).toBe(503);
      expect(app.events.at(-1)).toMatchObject({ type: 'fault', where: 'host' });
      next.claims = () => ({});
      const { status, body } = await postJson(app, '/token', fields);
      expect(status).toBe(200);
      expect(claimsIn(JSON.parse(body).access_token).sub).toBe(claimsIn(login.access_token).sub);
    });
  },
  { auth: { accessTokenClaims } },
);

it('auth.claims has the type that accessTokenClaims returns', () => {
  const users = { findByUsername: async () => null, findById: async () => null };
  const typed = () => {
    const auth = createAuth({
      issuer: 'https://api.example.com',
      users,
      accessTokenClaims: (user) => ({ plan: user.accounts.length > 1 ? 'pro' : 'free' }),
    });
    return requireAuth(auth);
  };
  type State = Parameters<ReturnType<typeof typed>>[0]['state'];
  expectTypeOf<State['auth']['claims']['plan']>().toEqualTypeOf<string | undefined>();
  type Said = ReturnType<typeof authOf<{ plan: string }>>;
  expectTypeOf<Said['claims']['plan']>().toEqualTypeOf<string | undefined>();
});
