import { describe, expect, it } from 'vitest';
import type { AuthOptions } from './auth-options.ts';
import { createAuth } from './create-auth.ts';
import type { AuthRequest } from './http/messages.ts';
import { generateSigningKey } from './tokens/signing-key.ts';

const users = { findByUsername: async () => null, findById: async () => null };
const good: AuthOptions = {
  issuer: 'https://api.example.com',
  users,
  keys: { signing: generateSigningKey(), refreshSecrets: [Buffer.alloc(32, 1)] },
  environment: 'production',
};

function get(path: string, mountPath = ''): AuthRequest {
  return {
    method: 'GET',
    path,
    mountPath,
    query: '',
    headers: {},
    body: { kind: 'none' },
    remoteAddress: undefined,
  };
}

describe('createAuth', () => {
  it('takes what production needs', () => {
    expect(() => createAuth(good)).not.toThrow();
  });

  it.each<[code: string, change: Partial<AuthOptions>]>([
    ['issuer_invalid', { issuer: 'api.example.com' }],
    ['issuer_invalid', { issuer: 'http://api.example.com' }],
    ['issuer_invalid', { issuer: 'https://api.example.com?x=1' }],
    ['audience_invalid', { audience: '' }],
    ['clientId_invalid', { clientId: '' }],
    ['keys_missing', { keys: {} }],
    ['secret_too_short', { keys: { ...good.keys, refreshSecrets: ['too short'] } }],
    ['secrets_missing', { keys: { ...good.keys, refreshSecrets: [] } }],
    ['signing_key_unreadable', { keys: { ...good.keys, signing: 'no key' } }],
    ['option_out_of_bounds', { lifetimes: { accessTokenSeconds: 599 } }],
    ['option_out_of_bounds', { lifetimes: { maxAccessTokenSeconds: 86_401 } }],
    ['option_out_of_bounds', { lifetimes: { refreshGraceSeconds: 301 } }],
    ['option_out_of_bounds', { lifetimes: { refreshIdleSeconds: 91 * 86_400 } }],
    ['option_out_of_bounds', { mfa: { attemptsPerChallenge: 0 } }],
    ['option_out_of_bounds', { maxSessionsPerUser: 1.5 }],
    ['option_out_of_bounds', { throttle: { identifierFailures: 0 } }],
    ['token_cache_size', { tokenCacheSize: 1 }],
    ['argon2_too_weak', { passwords: { memoryKib: 8_192 } }],
  ])('refuses with %s: %j', (code, change) => {
    expect(() => createAuth({ ...good, ...change })).toThrow(`[${code}]`);
  });

  it('refuses a users table without look-ups', () => {
    const options = { ...good, users: {} } as unknown as AuthOptions;
    expect(() => createAuth(options)).toThrow('[users_missing]');
  });

  it('has the well-known documents apart, which point below baseUrl', async () => {
    const auth = createAuth({ ...good, baseUrl: 'https://api.example.com/auth/' });
    expect(auth.wellKnown.owns('/token')).toBe(false);
    const answer = await auth.wellKnown.handle(get('/.well-known/oauth-authorization-server'));
    expect(JSON.parse(answer.body)).toMatchObject({
      issuer: 'https://api.example.com',
      token_endpoint: 'https://api.example.com/auth/token',
    });
  });

  it('tells where it is mounted, without a baseUrl', async () => {
    const answer = await createAuth(good).http.handle(
      get('/.well-known/oauth-authorization-server', '/login'),
    );
    expect(JSON.parse(answer.body)).toMatchObject({
      token_endpoint: 'https://api.example.com/login/token',
    });
  });
});
