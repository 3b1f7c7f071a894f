import { describe, expect, it, vi } from 'vitest';
import { AuthError, serverFault } from '../errors.ts';
import type { HostGrant, HostGrantOutcome, HostRefusalReason } from '../grants/host-grant.ts';
import type { ClientInfo } from '../ports/events/client-info.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { createHostLogin, type LoginRequest } from './host-login.ts';

const refused = { outcome: 'refused', reason: 'disabled' } as const;

const issued: HostGrantOutcome = {
  outcome: 'issued',
  tokens: {
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

function scene(outcome: HostGrantOutcome = refused) {
  const events: SecurityEvent[] = [];
  const grant = vi.fn<HostGrant>(async () => outcome);
  return { grant, events, login: createHostLogin(grant, (event) => events.push(event)) };
}

describe('what the host asks for', () => {
  it('has the defaults of POST /token', async () => {
    const { grant, login } = scene();
    await login('ada', { amr: ['email'] });
    expect(grant.mock.calls).toEqual([
      [
        {
          userId: 'ada',
          amr: ['email'],
          authTimeMs: undefined,
          accountId: null,
          scopes: ['user'],
          expirationSeconds: undefined,
          version: 'v2',
          client: { clientAddress: null, userAgent: null },
        },
      ],
    ]);
  });

  it('is passed on, its scopes in canonical order and its client as events show it', async () => {
    const { grant, login } = scene();
    const asked = { authTimeMs: 7, accountId: 2, expirationSeconds: 600, version: 'v1' } as const;
    const amr = ['hwk', 'otp', 'mfa'];
    const client = {
      clientAddress: '::ffff:192.0.2.1',
      userAgent: `\x9b${'x'.repeat(300)}`,
      surplus: 1,
    };
    await login('ada', { ...asked, amr, scopes: ['admin', 'user', 'admin'] }, client);
    expect(grant.mock.calls).toEqual([
      [
        {
          ...asked,
          userId: 'ada',
          amr,
          scopes: ['user', 'admin'],
          client: { clientAddress: '192.0.2.1', userAgent: `\ufffd${'x'.repeat(255)}` },
        },
      ],
    ]);
  });

  it('may be undefined wherever it may be left out', async () => {
    const { grant, login } = scene();
    const left = { authTimeMs: undefined, accountId: undefined, scopes: undefined };
    const unsaid = { ...left, expirationSeconds: undefined, version: undefined };
    await login('ada', { amr: ['email'], ...unsaid }, undefined);
    await login('ada', { amr: ['email'] });
    expect(grant.mock.calls[0]).toEqual(grant.mock.calls[1]);
  });

  it.each<[field: string, wrong: object]>([
    ['amr', { amr: undefined }],
    ['amr', { amr: [] }],
    ['amr', { amr: 'pwd' }],
    ['amr', { amr: Array(11).fill('pwd') }],
    ['amr.0', { amr: [''] }],
    ['amr.1', { amr: ['pwd', 'x'.repeat(33)] }],
    ['amr.0', { amr: ['p w'] }],
    // It would count as a code of the second factor, which was not asked for.
    ['amr', { amr: ['otp'] }],
    ['amr', { amr: ['pwd', 'otp'] }],
    ['authTimeMs', { authTimeMs: -1 }],
    ['authTimeMs', { authTimeMs: new Date(0) }],
    // These are arguments of their own.
    ['userId', { userId: 'grace' }],
    ['client', { client: { clientAddress: '192.0.2.1' } }],
    // Misspelt, it must not bind the session to no account.
    ['account_id', { account_id: 1 }],
  ])('is a mistake of the host where %s is wrong: %j', async (field, wrong) => {
    const { grant, events, login } = scene();
    const request = { amr: ['pwd'], ...wrong } as LoginRequest;
    const rejection = login('ada', request);
    await expect(rejection).rejects.toThrow(TypeError);
    await expect(rejection).rejects.toThrow(`auth.login: request.${field} `);
    expect(grant).not.toHaveBeenCalled();
    expect(events).toEqual([]);
  });

  it.each([undefined, null, 'pwd'])(
    'is a mistake of the host where the request is %j',
    async (request) => {
      const { grant, login } = scene();
      const rejection = login('ada', request as unknown as LoginRequest);
      await expect(rejection).rejects.toThrow(TypeError);
      await expect(rejection).rejects.toThrow('auth.login: request.');
      expect(grant).not.toHaveBeenCalled();
    },
  );

  it.each([undefined, '', 7])('is a mistake of the host where the user is %j', async (userId) => {
    const { grant, login } = scene();
    const rejection = login(userId as string, { amr: ['pwd'] });
    await expect(rejection).rejects.toThrow(TypeError);
    await expect(rejection).rejects.toThrow('userId must ');
    expect(grant).not.toHaveBeenCalled();
  });

  it.each<[mistake: string, client: unknown]>([
    ['client must be an object', null],
    ['client must be an object', '192.0.2.1'],
    ['client.clientAddress must be a string', { clientAddress: 7, userAgent: null }],
    ['client.userAgent must be a string', { clientAddress: null, userAgent: ['a'] }],
  ])('is a mistake of the host: %s: %j', async (mistake, client) => {
    const { grant, events, login } = scene();
    const rejection = login('ada', { amr: ['pwd'] }, client as ClientInfo);
    await expect(rejection).rejects.toThrow(TypeError);
    await expect(rejection).rejects.toThrow(mistake);
    expect(grant).not.toHaveBeenCalled();
    expect(events).toEqual([]);
  });

  it('may come from a client of whom nothing is known', async () => {
    const { grant, login } = scene();
    await login('ada', { amr: ['pwd'] }, {} as ClientInfo);
    const client = { clientAddress: null, userAgent: null };
    expect(grant.mock.calls).toMatchObject([[{ client }]]);
  });
});

describe('what the host is answered', () => {
  it.each([
    ['v1', issued, 200, ['access_token', 'token_type', 'expires_in', 'refresh_token', 'accounts']],
    ['v1', challenged, 401, ['challenge']],
    [
      'v2',
      challenged,
      401,
      ['challenge', 'error', 'error_description', 'challenge_expires_in', 'methods'],
    ],
  ] as const)('has the representation of %s', async (version, outcome, status, fields) => {
    const login = await scene(outcome).login('ada', { amr: ['pwd'], version });
    const { response, ...rest } = login;
    expect(rest).toEqual(outcome);
    expect(response).toMatchObject({ status, headers: { 'cache-control': 'no-store' } });
    expect(Object.keys(JSON.parse(response.body))).toEqual(fields);
  });

  it.each<[reason: HostRefusalReason, status: number, error: string]>([
    ['unknown_user', 400, 'invalid_grant'],
    ['disabled', 400, 'invalid_grant'],
    ['password_changed', 400, 'invalid_grant'],
    ['revoked_meanwhile', 400, 'invalid_grant'],
    ['account_denied', 403, 'access_denied'],
    ['scope_denied', 400, 'invalid_scope'],
  ])(
    'is why the user is not logged in (%s), and %i %s for the client',
    async (reason, status, error) => {
      const refusal = { outcome: 'refused', reason } as const;
      const { response, ...rest } = await scene(refusal).login('ada', { amr: ['pwd'] });
      expect(rest).toEqual(refusal);
      expect(response).toMatchObject({ status, headers: { 'cache-control': 'no-store' } });
      expect(JSON.parse(response.body)).toMatchObject({ error });
    },
  );

  it('has one answer for the client, whichever user is not logged in', async () => {
    const bodies = new Set<string>();
    for (const reason of [
      'unknown_user',
      'disabled',
      'password_changed',
      'revoked_meanwhile',
    ] as const) {
      const { response } = await scene({ outcome: 'refused', reason }).login('ada', {
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
  ])('names %s as clients know it, where that is malformed: %j', async (field, wrong) => {
    const { grant, events, login } = scene();
    const request = { amr: ['pwd'], ...wrong } as LoginRequest;
    const { response, ...rest } = await login('ada', request);
    expect(rest).toEqual({ outcome: 'refused', reason: 'invalid_request' });
    expect(response).toMatchObject({ status: 400, headers: { 'cache-control': 'no-store' } });
    const message = expect.any(String);
    const errors = [{ field, message }];
    expect(JSON.parse(response.body)).toMatchObject({ error: 'invalid_request', errors });
    expect(grant).not.toHaveBeenCalled();
    expect(events).toEqual([]);
  });

  it.each([[[]], [['root']]])('is invalid_scope for the scopes %j', async (scopes) => {
    const { grant, login } = scene();
    const request = { amr: ['pwd'], scopes } as LoginRequest;
    const { response, ...rest } = await login('ada', request);
    expect(rest).toEqual({ outcome: 'refused', reason: 'invalid_scope' });
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body)).toMatchObject({ error: 'invalid_scope' });
    expect(grant).not.toHaveBeenCalled();
  });
});

describe('a fault while the host logs a user in', () => {
  it.each([
    ['internal', new TypeError('a bug'), 'server_error'],
    ['directory', serverFault({ where: 'directory' }), 'server_error'],
  ])('is emitted, and is a refusal: %s', async (where, error, code) => {
    const { grant, events, login } = scene();
    grant.mockRejectedValue(error);
    await expect(login('ada', { amr: ['pwd'] })).rejects.toMatchObject({ code });
    expect(events).toEqual([{ type: 'fault', where, error }]);
  });

  it('is emitted once, where a boundary has done so', async () => {
    const { grant, events, login } = scene();
    const error = new AuthError('temporarily_unavailable', 'Try again.');
    grant.mockRejectedValue(error);
    await expect(login('ada', { amr: ['pwd'] })).rejects.toBe(error);
    expect(events).toEqual([]);
  });
});
