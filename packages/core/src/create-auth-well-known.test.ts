import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AuthOptions } from './auth-options.ts';
import { createAuth } from './create-auth.ts';
import { plainRequest } from './http/plain-request.test.support.ts';
import { generateSigningKey } from './keys/signing-key.ts';
import { memoryStorage } from './storage/memory/memory-storage.ts';

const METADATA = '/.well-known/oauth-authorization-server';

const VALID: AuthOptions = {
  issuer: 'https://api.example.com',
  users: { findByUsername: async () => null, findById: async () => null },
  storage: memoryStorage(),
  keys: { signing: generateSigningKey(), refreshSecrets: [randomBytes(32)] },
  environment: 'production',
};

describe('the well-known documents', () => {
  it('name endpoints below baseUrl', async () => {
    const auth = createAuth({ ...VALID, baseUrl: 'https://api.example.com/auth/' });
    expect(auth.wellKnown.owns('/token')).toBe(false);
    const response = await auth.wellKnown.handle(plainRequest({ path: METADATA }));
    expect(JSON.parse(response.body)).toMatchObject({
      issuer: 'https://api.example.com',
      token_endpoint: 'https://api.example.com/auth/token',
    });
  });

  describe('without a baseUrl', () => {
    const fetchTokenEndpoint = async (issuer: string, path: string) => {
      const { http, wellKnown } = createAuth({ ...VALID, issuer });
      // Only `wellKnown`, which is mounted at the root, has the path of RFC 8414.
      expect(http.owns(`${METADATA}/v1/auth`)).toBe(false);
      const response = await wellKnown.handle(plainRequest({ path }));
      // A second request causes no second warning.
      await wellKnown.handle(plainRequest({ path }));
      return response.status === 200 ? JSON.parse(response.body).token_endpoint : response.status;
    };

    it.each(['https://api.example.com/v1/auth', 'https://api.example.com/v1/auth/'])(
      'are served for the issuer %s also at the path that RFC 8414 3.1 prescribes',
      async (issuer) => {
        expect(await fetchTokenEndpoint(issuer, METADATA)).toBe(
          'https://api.example.com/v1/auth/token',
        );
        expect(await fetchTokenEndpoint(issuer, `${METADATA}/v1/auth`)).toBe(
          'https://api.example.com/v1/auth/token',
        );
        expect(await fetchTokenEndpoint(issuer, `${METADATA}/v1/auth/`)).toBe(404);
        expect(await fetchTokenEndpoint(issuer, `${METADATA}/v1`)).toBe(404);
      },
    );

    it.each([
      ['https://api.example.com', ['LATCHHOOK_BASE_URL']],
      ['https://api.example.com/v1/auth', []],
    ])(
      'cause one warning if the issuer has no path, and none if it has a path: %s',
      async (issuer, codes) => {
        const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
        onTestFinished(() => emit.mockRestore());
        await fetchTokenEndpoint(issuer, METADATA);
        expect(emit.mock.calls).toEqual(
          codes.map((code) => [
            'auth.wellKnown tells clients that a route is at https://api.example.com/token: set baseUrl to where latchhook(auth) is mounted, such as https://api.example.com/auth',
            { type: 'LatchhookWarning', code },
          ]),
        );
      },
    );
  });

  it('name endpoints below the mount path of the routes if there is no baseUrl', async () => {
    const response = await createAuth(VALID).http.handle(
      plainRequest({ path: METADATA, mountPath: '/login' }),
    );
    expect(JSON.parse(response.body)).toMatchObject({
      token_endpoint: 'https://api.example.com/login/token',
    });
  });

  describe('mounted among the routes', () => {
    const issuer = 'https://api.example.com/v1/auth';

    async function warningsFrom(options: Partial<AuthOptions>, mountPath: string) {
      const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      onTestFinished(() => emit.mockRestore());
      const { http } = createAuth({ ...VALID, issuer, ...options });
      const request = plainRequest({ path: METADATA, mountPath });
      for (let time = 0; time < 2; time += 1) expect((await http.handle(request)).status).toBe(200);
      return emit.mock.calls;
    }

    it.each(['', '/login'])(
      'cause one warning if the mount path is %j, and the path of the issuer is /v1/auth',
      async (mountPath) => {
        expect(await warningsFrom({}, mountPath)).toEqual([
          [
            `the metadata of the issuer ${issuer} tell clients that a route is at https://api.example.com${mountPath}/token: mount latchhook(auth) under /v1/auth, or set baseUrl to where clients find it`,
            { type: 'LatchhookWarning', code: 'LATCHHOOK_BASE_URL' },
          ],
        ]);
      },
    );

    it.each<[what: string, mountPath: string, options: Partial<AuthOptions>]>([
      ['the mount path is the path of the issuer', '/v1/auth', {}],
      ['the issuer has no path', '', { issuer: 'https://api.example.com' }],
      ['baseUrl is set', '', { baseUrl: issuer }],
    ])('cause no warning if %s', async (_, mountPath, options) => {
      expect(await warningsFrom(options, mountPath)).toEqual([]);
    });
  });
});
