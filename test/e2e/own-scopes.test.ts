import { requireAuth as forExpress } from '@latchhook/express';
import { requireAuth as forKoa } from '@latchhook/koa';
import { expect, onTestFinished } from 'vitest';
import { scopePath } from '../support/apps/app-listeners.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/apps/test-app.ts';
import { claimsIn, serviceOf } from '../support/clients/introspect-calls.ts';
import { listPats, makePat, managerOf } from '../support/clients/pat-calls.ts';
import { getDocument, METADATA, openapiOf } from '../support/clients/public-documents.ts';
import {
  answerChallenge,
  get,
  logIn,
  pendingChallenge,
  refresh,
  session,
  tokensOf,
  totp,
} from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const OWN = {
  'billing:read': { description: 'Read invoices.' },
  'billing:write': { description: 'Write invoices.', sensitive: true },
  payout: { stepUp: true },
};
const ALL = ['user', 'admin', 'internal', 'auth', ...Object.keys(OWN)];

/** Cast, because all test apps have the same type. */
const withScopes = (own: object) =>
  ({ auth: { scopes: own } }) as NonNullable<Pick<TestAppOptions, 'auth'>>;

function entitle(app: TestApp, userId = 'ada', scopes: readonly string[] = ALL): void {
  app.users.change(userId, { scopes: scopes as never });
}

/** The same app after its scopes were changed. */
async function restartWithScopes(app: TestApp, own: object): Promise<TestApp> {
  const later = await startTestApp(app.cell, {
    ...withScopes(own),
    sharedWith: app,
    wrapStorage: () => app.cellStorage.storage,
  });
  onTestFinished(() => later.stop());
  return later;
}

inEveryCell(
  'the scopes that an app defines',
  (test) => {
    test('are granted to entitled users at a login, and kept by refreshes', async (app) => {
      entitle(app);
      const scopes = 'billing:write, billing:read,user';
      const login = await session(app, 'ada', { scopes });
      expect(login).toMatchObject({ scope: 'user billing:read billing:write', expires_in: 3600 });
      const refreshed = tokensOf(await refresh(app, login.refresh_token));
      expect(refreshed.scope).toBe('user billing:read billing:write');
      const fields = { scope: 'billing:read' };
      const narrowed = tokensOf(await refresh(app, refreshed.refresh_token, fields));
      expect(narrowed.scope).toBe('billing:read');

      entitle(app, 'ada', ['user']);
      expect(tokensOf(await refresh(app, narrowed.refresh_token)).scope).toBe('user');
      expect((await logIn(app, 'alan', { scopes: 'billing:read' })).status).toBe(400);
      expect((await logIn(app, 'ada', { scopes: 'billing:raed' })).body).toContain('invalid_scope');
    });

    test('are dropped at a refresh if they are stepUp, and last at most 600 s', async (app) => {
      entitle(app);
      const login = await session(app, 'ada', { scopes: 'user,payout', expiration_seconds: 3600 });
      expect(login).toMatchObject({ scope: 'user payout', expires_in: 600 });
      const refreshed = await refresh(app, login.refresh_token, { scopes: 'user,payout' });
      expect(tokensOf(refreshed)).toMatchObject({ scope: 'user', expires_in: 3600 });

      const alone = await session(app, 'ada', { scopes: 'payout' });
      expect((await refresh(app, alone.refresh_token)).body).toContain('invalid_scope');
    });

    test('are granted after an MFA challenge', async (app) => {
      entitle(app, 'grace');
      const fields = { code: totp(app), scopes: ['payout', 'billing:read'] };
      const answered = await answerChallenge(app, await pendingChallenge(app), fields);
      expect(tokensOf(answered)).toMatchObject({ scope: 'billing:read payout', expires_in: 600 });
    });

    test('are granted at a login by the host, but stepUp scopes only if its authentication is recent', async (app) => {
      entitle(app);
      const hostLogin = (scopes: readonly string[], agoMs: number) =>
        app.auth.login('ada', {
          amr: ['fed'],
          authTimeMs: app.clock.nowMs() - agoMs,
          scopes: scopes as never,
        });
      expect(await hostLogin(['payout'], 300_000)).toMatchObject({ outcome: 'issued' });
      const rejected = { outcome: 'rejected', reason: 'scope_denied' };
      expect(await hostLogin(['payout'], 301_000)).toMatchObject(rejected);
      expect(await hostLogin(['billing:read'], 301_000)).toMatchObject({ outcome: 'issued' });
    });

    test('can be required by routes of the host', async (app) => {
      entitle(app);
      const { access_token } = await session(app, 'ada', { scopes: 'user,billing:read' });
      expect((await get(app, scopePath('billing:read'), access_token)).status).toBe(200);
      const rejected = await get(app, scopePath('billing:write'), access_token);
      expect(rejected.status).toBe(403);
      expect(rejected.headers['www-authenticate']).toBe(
        'Bearer error="insufficient_scope", scope="billing:write"',
      );
      const requirement = { scope: 'billing:raed' as never };
      const message =
        'requireAuth.scope must be one of user, admin, internal, auth, billing:read, billing:write';
      expect(() => forExpress(app.auth, requirement)).toThrow(message);
      expect(() => forKoa(app.auth, requirement)).toThrow(message);
    });

    test('open no route after the end of the session if they are sensitive', async (app) => {
      entitle(app);
      const sensitive = await session(app, 'ada', { scopes: 'user,billing:write' });
      const other = await session(app, 'ada', { scopes: 'user,billing:read' });
      await app.auth.sessions.revokeAll('ada');
      expect((await get(app, '/me', sensitive.access_token)).status).toBe(401);
      expect((await get(app, '/me', other.access_token)).status).toBe(200);
    });

    test('can be given to personal access tokens unless they are stepUp', async (app) => {
      entitle(app);
      const manager = await managerOf(app);
      const { token, scopes } = await makePat(manager, { scopes: ['billing:read', 'user'] });
      expect(scopes).toEqual(['user', 'billing:read']);
      const me = JSON.parse((await get(app, '/me', token)).body);
      expect(me).toMatchObject({ scopes: ['user', 'billing:read'] });
      const introspected = claimsIn(await (await serviceOf(app))(token));
      expect(introspected).toMatchObject({ scope: 'user billing:read' });
      const rejected = await manager.send('POST', '/users/self/pats', {
        name: 'a script',
        scopes: ['payout'],
      });
      expect(rejected.status).toBe(400);
      expect(rejected.body).toContain('No personal access token has the scope auth or payout.');
    });

    test('are listed in the metadata and in OpenAPI', async (app) => {
      expect((await getDocument(app, METADATA)).scopes_supported).toEqual(ALL);
      const { components } = await openapiOf(app);
      const { bearer } = components.securitySchemes;
      expect(bearer).toMatchObject({
        description: expect.stringContaining(
          '- `billing:read` Read invoices.\n- `billing:write` (sensitive) Write invoices.\n- `payout` (stepUp)\n',
        ),
      });
      const { schemas } = components as unknown as {
        schemas: Record<string, { properties: { scopes: { items: { enum: string[] } } } }>;
      };
      const list = (name: string) => schemas[name]?.properties.scopes;
      expect(list('ChallengeGrant')?.items.enum).toEqual(ALL);
      const lasting = ALL.filter((scope) => scope !== 'auth' && scope !== 'payout');
      expect(list('NewPersonalAccessToken')?.items.enum).toEqual(lasting);
      expect(list('PasswordGrant')).toMatchObject({
        description: expect.stringContaining('internal, auth, billing:read, billing:write, payout'),
      });
      expect(list('RefreshGrant')).toMatchObject({
        description: expect.stringContaining('the granted scopes, without auth, payout.'),
      });
    });

    test('cause a 500 if the user store misspells one', async (app) => {
      entitle(app, 'ada', ['user', 'billing:raed']);
      expect((await logIn(app, 'ada')).status).toBe(500);
      expect(app.events.at(-1)).toMatchObject({ type: 'fault', where: 'user_store' });
    });

    test('may be reordered and removed while sessions and tokens are alive', async (app) => {
      entitle(app);
      const login = await session(app, 'ada', { scopes: 'user,billing:read,billing:write' });
      const alone = await session(app, 'ada', { scopes: 'billing:read' });
      const pat = await makePat(await managerOf(app), { scopes: ['user', 'billing:read'] });

      const later = await restartWithScopes(app, { 'invoice:read': {}, 'billing:write': {} });
      entitle(later, 'ada', ['user', 'auth', 'billing:write', 'invoice:read']);
      expect((await get(later, '/me', login.access_token)).status).toBe(200);
      const refreshed = tokensOf(await refresh(later, login.refresh_token));
      expect(refreshed.scope).toBe('user billing:write');
      // A process with the old options returns the same token to a repeated refresh.
      entitle(app);
      const again = tokensOf(await refresh(app, login.refresh_token));
      expect(again.refresh_token).toBe(refreshed.refresh_token);
      entitle(later, 'ada', ['user', 'auth', 'billing:write', 'invoice:read']);
      expect((await refresh(later, alone.refresh_token)).body).toContain('invalid_scope');
      expect((await get(later, '/me', alone.access_token)).status).toBe(401);

      expect(JSON.parse((await get(later, '/me', pat.token)).body).scopes).toEqual(['user']);
      const listed = await listPats(await managerOf(later));
      expect(listed[0]?.scopes).toEqual(['user']);
    });

    test('are lost by personal access tokens, and not listed for them, once they become stepUp', async (app) => {
      entitle(app);
      const manager = await managerOf(app);
      const pat = await makePat(manager, { scopes: ['user', 'billing:read'] });
      const alone = await makePat(manager, { scopes: ['billing:read'] });

      const later = await restartWithScopes(app, { ...OWN, 'billing:read': { stepUp: true } });
      entitle(later);
      expect(JSON.parse((await get(later, '/me', pat.token)).body).scopes).toEqual(['user']);
      expect((await get(later, '/me', alone.token)).status).toBe(401);
      const introspect = await serviceOf(later);
      expect(claimsIn(await introspect(pat.token))).toMatchObject({ scope: 'user' });
      expect(claimsIn(await introspect(alone.token))).toEqual({ active: false });
      const listed = (await listPats(await managerOf(later))).map(({ scopes }) => scopes);
      expect(listed).toEqual([['user'], []]);
      const records = await later.auth.personalAccessTokens.list('ada');
      expect(records.map(({ scopes }) => scopes)).toEqual(listed);
    });
  },
  withScopes(OWN),
);
