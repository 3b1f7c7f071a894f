import { describe, expect, it, vi } from 'vitest';
import { AuthError, serverFault } from '../errors.ts';
import type { HostGrant, HostGrantOutcome } from '../grants/host-grant.ts';
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
    ['accountId', { accountId: '1' }],
    ['expirationSeconds', { expirationSeconds: 599 }],
    ['scopes', { scopes: 'user' }],
    ['version', { version: 'v3' }],
    // Misspelt, it must not bind the session to no account.
    ['account_id', { account_id: 1 }],
  ])('is refused where %s is wrong: %j', async (field, wrong) => {
    const { grant, events, login } = scene();
    const request = { amr: ['pwd'], ...wrong } as LoginRequest;
    await expect(login('ada', request)).rejects.toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ field }] },
    });
    expect(grant).not.toHaveBeenCalled();
    expect(events).toEqual([]);
  });

  it.each([undefined, '', 7])('is refused where the user is %j', async (userId) => {
    const { grant, login } = scene();
    await expect(login(userId as string, { amr: ['pwd'] })).rejects.toMatchObject({
      details: { fields: [{ field: 'userId' }] },
    });
    expect(grant).not.toHaveBeenCalled();
  });

  it('cannot name another user', async () => {
    const { grant, login } = scene();
    await login('ada', { amr: ['pwd'], userId: 'grace' } as LoginRequest);
    expect(grant.mock.calls).toMatchObject([[{ userId: 'ada' }]]);
  });

  it.each([[[]], [['root']]])('is refused with the scopes %j', async (scopes) => {
    const { grant, login } = scene();
    const request = { amr: ['pwd'], scopes } as LoginRequest;
    await expect(login('ada', request)).rejects.toMatchObject({ code: 'invalid_scope' });
    expect(grant).not.toHaveBeenCalled();
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
    if (login.outcome === 'refused') throw new Error(login.reason);
    const { response, ...rest } = login;
    expect(rest).toEqual(outcome);
    expect(response).toMatchObject({ status, headers: { 'cache-control': 'no-store' } });
    expect(Object.keys(JSON.parse(response.body))).toEqual(fields);
  });

  it('is the reason, where the user is not logged in', async () => {
    expect(await scene().login('ada', { amr: ['pwd'] })).toEqual(refused);
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
