import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { ResourceOwnerPassword } from 'simple-oauth2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SpawnedApp, spawnApp } from '../support/apps/spawn-app.ts';
import { TEST_PASSWORD } from '../support/clients/users.ts';

const LOGIN = { username: 'ada@example.com', password: TEST_PASSWORD, scope: 'user admin' };
const MFA_LOGIN = { ...LOGIN, username: 'grace@example.com' };

/** The client allows plain http, because the server is on loopback. */
const INSECURE = { [oauth.allowInsecureRequests]: true };

describe.each(['express-starter', 'koa-starter'])('stock clients against the %s', (name) => {
  let app: SpawnedApp;
  beforeAll(async () => {
    app = await spawnApp(name);
  });
  afterAll(() => app.stop());

  describe('oauth4webapi', () => {
    const client: oauth.Client = { client_id: 'web' };

    async function discover(): Promise<oauth.AuthorizationServer> {
      const issuer = new URL(app.url);
      const options = { algorithm: 'oauth2', ...INSECURE } as const;
      return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
    }

    function request(as: oauth.AuthorizationServer, login: Record<string, string>) {
      return oauth.genericTokenEndpointRequest(
        as,
        client,
        oauth.None(),
        'password',
        login,
        INSECURE,
      );
    }

    it('discovers, logs in, refreshes and revokes', async () => {
      const as = await discover();
      const login = await oauth.processGenericTokenEndpointResponse(
        as,
        client,
        await request(as, LOGIN),
      );
      expect(login).toMatchObject({ token_type: 'bearer', scope: 'user admin', expires_in: 3600 });

      const refresh = () =>
        oauth.refreshTokenGrantRequest(
          as,
          client,
          oauth.None(),
          login.refresh_token ?? '',
          INSECURE,
        );
      const refreshed = await oauth.processRefreshTokenResponse(as, client, await refresh());
      expect(refreshed.refresh_token).not.toBe(login.refresh_token);

      const token = refreshed.refresh_token ?? '';
      const revoked = await oauth.revocationRequest(as, client, oauth.None(), token, INSECURE);
      await oauth.processRevocationResponse(revoked);
      await expect(
        oauth.processRefreshTokenResponse(as, client, await refresh()),
      ).rejects.toMatchObject({ error: 'invalid_grant', status: 400 });
    });

    it('exposes the MFA challenge in its error', async () => {
      const as = await discover();
      const response = await request(as, MFA_LOGIN);
      await expect(
        oauth.processGenericTokenEndpointResponse(as, client, response),
      ).rejects.toMatchObject({
        error: 'mfa_required',
        cause: { challenge: expect.stringMatching(/^lh_mc_/), methods: ['totp', 'recovery_code'] },
      });
    });
  });

  describe('openid-client', () => {
    function discover(): Promise<openid.Configuration> {
      return openid.discovery(new URL(app.url), 'web', undefined, openid.None(), {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      });
    }

    it('discovers, logs in, refreshes and revokes', async () => {
      const config = await discover();
      const login = await openid.genericGrantRequest(config, 'password', LOGIN);
      expect(login.expiresIn()).toBeGreaterThan(3590);
      const refreshed = await openid.refreshTokenGrant(config, login.refresh_token ?? '');
      await openid.tokenRevocation(config, refreshed.refresh_token ?? '');
      await expect(
        openid.refreshTokenGrant(config, refreshed.refresh_token ?? ''),
      ).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    it('exposes the MFA challenge in its error', async () => {
      const config = await discover();
      await expect(openid.genericGrantRequest(config, 'password', MFA_LOGIN)).rejects.toMatchObject(
        {
          error: 'mfa_required',
          cause: { challenge: expect.stringMatching(/^lh_mc_/) },
        },
      );
    });
  });

  describe.each(['header', 'body'] as const)(
    'simple-oauth2 with client credentials in the %s',
    (method) => {
      function create(): ResourceOwnerPassword {
        return new ResourceOwnerPassword({
          client: { id: 'web', secret: 'of no use' },
          auth: { tokenHost: app.url, tokenPath: '/token', revokePath: '/token/revoke' },
          options: { authorizationMethod: method },
        });
      }

      it('logs in, refreshes and revokes', async () => {
        const login = await create().getToken(LOGIN);
        expect(login.token).toMatchObject({ scope: 'user admin', accounts: [1, 2] });
        expect(login.expired()).toBe(false);
        const refreshed = await login.refresh();
        expect(refreshed.token['refresh_token']).not.toBe(login.token['refresh_token']);
        await refreshed.revokeAll();
        await expect(refreshed.refresh()).rejects.toMatchObject({ output: { statusCode: 400 } });
      });

      it('exposes the MFA challenge in its error', async () => {
        await expect(create().getToken(MFA_LOGIN)).rejects.toMatchObject({
          data: { payload: { error: 'mfa_required', challenge: expect.stringMatching(/^lh_mc_/) } },
        });
      });
    },
  );

  it('jose verifies an access token with the published keys', async () => {
    const response = await fetch(`${app.url}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(LOGIN),
    });
    const { access_token } = (await response.json()) as { readonly access_token: string };
    const keys = createRemoteJWKSet(new URL(`${app.url}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(access_token, keys, {
      issuer: app.url,
      audience: app.url,
      typ: 'at+jwt',
      algorithms: ['ES256'],
    });
    expect(payload).toMatchObject({ sub: 'ada', scope: 'user admin' });
  });
});
