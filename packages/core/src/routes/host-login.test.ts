import { describe, expect, it } from 'vitest';
import { AuthError, serverFault } from '../errors.ts';
import type { HostGrantOutcome, HostRejectionReason } from '../grants/host-grant.ts';
import type { LoginRequest } from './host-login.ts';
import { fixture } from './host-login-fixture.test.support.ts';

const issued: HostGrantOutcome = {
  outcome: 'issued',
  tokens: {
    userId: 'ada',
    accessToken: 'at',
    expiresInSeconds: 3600,
    refreshToken: 'rt',
    refreshExpiresInSeconds: 60,
    accounts: [1],
    scopes: ['user', 'admin'],
  },
};

const challenged: HostGrantOutcome = {
  outcome: 'challenged',
  pending: { challenge: 'mc', expiresInSeconds: 300, methods: ['totp'] },
};

describe('the result of auth.login', () => {
  it.each([
    [
      'tokens',
      'v1',
      issued,
      200,
      ['access_token', 'token_type', 'expires_in', 'refresh_token', 'accounts'],
    ],
    ['a challenge', 'v1', challenged, 401, ['challenge']],
    [
      'a challenge',
      'v2',
      challenged,
      401,
      ['challenge', 'error', 'error_description', 'challenge_expires_in', 'methods'],
    ],
  ] as const)(
    'has a response with %s in the format of API version %s',
    async (_, version, outcome, status, fields) => {
      const login = await fixture(outcome).login('ada', { amr: ['pwd'], version });
      const { response, ...rest } = login;
      expect(rest).toEqual(outcome);
      expect(response).toMatchObject({ status, headers: { 'cache-control': 'no-store' } });
      expect(Object.keys(JSON.parse(response.body))).toEqual(fields);
    },
  );

  it.each<[reason: HostRejectionReason, status: number, error: string]>([
    ['unknown_user', 400, 'invalid_grant'],
    ['disabled', 400, 'invalid_grant'],
    ['password_changed', 400, 'invalid_grant'],
    ['revoked_meanwhile', 400, 'invalid_grant'],
    ['account_denied', 403, 'access_denied'],
    ['scope_denied', 400, 'invalid_scope'],
  ])('has the reason %s for the host, and %i %s for the client', async (reason, status, error) => {
    const rejection = { outcome: 'rejected', reason } as const;
    const { response, ...rest } = await fixture(rejection).login('ada', { amr: ['pwd'] });
    expect(rest).toEqual(rejection);
    expect(response).toMatchObject({ status, headers: { 'cache-control': 'no-store' } });
    expect(JSON.parse(response.body)).toMatchObject({ error });
  });

  it('has the same response for all rejections that depend on the user', async () => {
    const bodies = new Set<string>();
    for (const reason of [
      'unknown_user',
      'disabled',
      'password_changed',
      'revoked_meanwhile',
    ] as const) {
      const { response } = await fixture({ outcome: 'rejected', reason }).login('ada', {
        amr: ['pwd'],
      });
      bodies.add(response.body);
    }
    expect(bodies.size).toBe(1);
  });

  it.each<[field: string, wrong: object]>([
    ['account_id', { accountId: '1' }],
    ['expiration_seconds', { expirationSeconds: 599 }],
    ['scopes', { scopes: 'user' }],
    ['scopes.1', { scopes: ['user', 7] }],
    ['version', { version: 'v3' }],
    // The query comes first, as at `POST /token`.
    ['version', { version: 'v3', accountId: '1' }],
    ['account_id', { accountId: '1', scopes: ['root'] }],
  ])('names the malformed field %s as in HTTP requests: %j', async (field, wrong) => {
    const { grant, events, login } = fixture();
    const request = { amr: ['pwd'], ...wrong } as LoginRequest;
    const { response, ...rest } = await login('ada', request);
    expect(rest).toEqual({ outcome: 'rejected', reason: 'invalid_request' });
    expect(response).toMatchObject({ status: 400, headers: { 'cache-control': 'no-store' } });
    const message = expect.any(String);
    const errors = [{ field, message }];
    expect(JSON.parse(response.body)).toMatchObject({ error: 'invalid_request', errors });
    expect(grant).not.toHaveBeenCalled();
    expect(events).toEqual([]);
  });

  it.each([[[]], [['root']]])('is invalid_scope for the scopes %j', async (scopes) => {
    const { grant, login } = fixture();
    const request = { amr: ['pwd'], scopes } as LoginRequest;
    const { response, ...rest } = await login('ada', request);
    expect(rest).toEqual({ outcome: 'rejected', reason: 'invalid_scope' });
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body)).toMatchObject({ error: 'invalid_scope' });
    expect(grant).not.toHaveBeenCalled();
  });
});

describe('a fault during auth.login', () => {
  it.each([
    ['internal', new TypeError('a bug'), 'server_error'],
    ['user_store', serverFault({ where: 'user_store' }), 'server_error'],
  ])('is emitted with where: %s, and rejects the call', async (where, error, code) => {
    const { grant, events, login } = fixture();
    grant.mockRejectedValue(error);
    await expect(login('ada', { amr: ['pwd'] })).rejects.toMatchObject({ code });
    expect(events).toEqual([{ type: 'fault', where, error }]);
  });

  it('is not emitted again if a store call has emitted it', async () => {
    const { grant, events, login } = fixture();
    const error = new AuthError('temporarily_unavailable', 'Try again.');
    grant.mockRejectedValue(error);
    await expect(login('ada', { amr: ['pwd'] })).rejects.toBe(error);
    expect(events).toEqual([]);
  });
});
