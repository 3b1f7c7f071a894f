import { once } from 'node:events';
import { createServer } from 'node:http';
import { createAuth } from '@latchhook/core';
import { latchhook } from '@latchhook/express';
import express from 'express';
import * as oauth from 'oauth4webapi';
import { describe, expect, it, onTestFinished } from 'vitest';
import { portOf } from '../support/servers/free-port.ts';

/** The client allows plain http, because the server is on loopback. */
const INSECURE = { [oauth.allowInsecureRequests]: true };

describe('well-known documents mounted apart from the routes', () => {
  it.each(['/v1/auth', '/v1/auth/'])(
    'lead a stock client to an issuer with the path %s',
    async (path) => {
      const app = express();
      const server = createServer(app).listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const issuer = new URL(path, `http://127.0.0.1:${portOf(server)}`);
      const auth = createAuth({
        issuer: issuer.href,
        environment: 'development',
        users: { findByUsername: async () => null, findById: async () => null },
      });
      app.use(latchhook({ http: auth.wellKnown }));
      app.use('/v1/auth', latchhook(auth));

      const as = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE }),
      );
      const rejection = oauth.processRefreshTokenResponse(
        as,
        { client_id: 'web' },
        await oauth.refreshTokenGrantRequest(
          as,
          { client_id: 'web' },
          oauth.None(),
          'none of ours',
          INSECURE,
        ),
      );
      await expect(rejection).rejects.toMatchObject({ error: 'invalid_grant' });
      const keys = await fetch(as.jwks_uri ?? '');
      expect(await keys.json()).toMatchObject({ keys: [{ alg: 'ES256' }] });
    },
  );
});
