import { generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ISSUER, refreshSecret, signingKey, startTestApp } from '../support/apps/test-app.ts';
import { getDocument, JWKS, METADATA } from '../support/clients/public-documents.ts';
import { get, session } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const nextKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

inEveryCell('GET /.well-known/jwks.json', (test) => {
  test('publishes the key that verifies access tokens, under its thumbprint', async (app) => {
    const { keys } = await getDocument(app, JWKS);
    expect(keys).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: await calculateJwkThumbprint(keys[0]),
        alg: 'ES256',
        use: 'sig',
      },
    ]);
    const { access_token } = await session(app);
    await jwtVerify(access_token, createLocalJWKSet({ keys }), {
      issuer: ISSUER,
      audience: ISSUER,
      typ: 'at+jwt',
      currentDate: new Date(app.clock.nowMs()),
    });
  });

  test('is cacheable for 300 s', async (app) => {
    const { headers } = await get(app, JWKS);
    expect(headers['cache-control']).toBe('public, max-age=300');
  });
});

describe('rotation of signing keys', () => {
  it('publishes a key before it signs and until it retires, and rejects no valid token', async () => {
    const startMs = Date.now();
    const at = (hours: number) => new Date(startMs + hours * 3600_000);
    const app = await startTestApp(
      { framework: 'express', storage: 'memory' },
      {
        auth: {
          keys: {
            signing: [
              { key: signingKey, retiresAt: at(4) },
              { key: nextKey, signsFrom: at(1) },
            ],
            refreshSecrets: [refreshSecret],
          },
        },
      },
    );
    onTestFinished(() => app.stop());
    const published = (await getDocument(app, JWKS)).keys.map(({ kid }: { kid: string }) => kid);
    expect(published).toHaveLength(2);
    const old = (await session(app)).access_token;
    expect(decodeProtectedHeader(old).kid).toBe(published[0]);
    // Five seconds before the second key signs.
    app.clock.advance(startMs + 3_595_000 - app.clock.nowMs());
    const last = (await session(app, 'ada', { expiration_seconds: 86_400 })).access_token;
    app.clock.advance(10_000);
    const fresh = (await session(app)).access_token;
    expect(decodeProtectedHeader(fresh).kid).toBe(published[1]);
    for (const token of [last, fresh]) expect((await get(app, '/me', token)).status).toBe(200);
    // The first key has retired, which ends the tokens that it signed.
    app.clock.advance(3 * 3600_000);
    expect((await get(app, '/me', last)).status).toBe(401);
    expect((await getDocument(app, JWKS)).keys).toHaveLength(1);
  });
});

inEveryCell('GET /.well-known/oauth-authorization-server', (test) => {
  const endpoints = (base: string) => ({
    token_endpoint: `${base}/token`,
    revocation_endpoint: `${base}/token/revoke`,
    introspection_endpoint: `${base}/token/introspect`,
    jwks_uri: `${base}${JWKS}`,
  });

  test('lists the endpoints and what they support', async (app) => {
    const metadata = await getDocument(app, METADATA);
    expect(metadata).toMatchObject({
      issuer: ISSUER,
      ...endpoints(ISSUER),
      grant_types_supported: ['password', 'refresh_token'],
      scopes_supported: ['user', 'admin', 'internal', 'auth'],
      response_types_supported: [],
    });
    expect(metadata).not.toHaveProperty('authorization_endpoint');
  });
});
