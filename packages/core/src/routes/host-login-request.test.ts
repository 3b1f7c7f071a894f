import { describe, expect, it } from 'vitest';
import type { ClientInfo } from '../client-info/client-info.ts';
import type { LoginRequest } from './host-login.ts';
import { fixture } from './host-login-fixture.test.support.ts';

describe('a request to auth.login', () => {
  it('has the defaults of POST /token', async () => {
    const { grant, login } = fixture();
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

  it('is passed on with canonical scopes and a canonical client', async () => {
    const { grant, login } = fixture();
    const request = { authTimeMs: 7, accountId: 2, expirationSeconds: 600, version: 'v1' } as const;
    const amr = ['hwk', 'otp', 'mfa'];
    const client = {
      clientAddress: '::ffff:192.0.2.1',
      userAgent: `\x9b${'x'.repeat(300)}`,
      surplus: 1,
    };
    await login('ada', { ...request, amr, scopes: ['admin', 'user', 'admin'] }, client);
    expect(grant.mock.calls).toEqual([
      [
        {
          ...request,
          userId: 'ada',
          amr,
          scopes: ['user', 'admin'],
          client: { clientAddress: '192.0.2.1', userAgent: `\ufffd${'x'.repeat(255)}` },
        },
      ],
    ]);
  });

  it('has the same defaults if its optional fields are undefined', async () => {
    const { grant, login } = fixture();
    const request = {
      amr: ['email'],
      authTimeMs: undefined,
      accountId: undefined,
      scopes: undefined,
      expirationSeconds: undefined,
      version: undefined,
    };
    await login('ada', request, undefined);
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
    // Without `mfa`, `otp` would claim a code of the second factor, which was not required.
    ['amr', { amr: ['otp'] }],
    ['amr', { amr: ['pwd', 'otp'] }],
    ['authTimeMs', { authTimeMs: -1 }],
    ['authTimeMs', { authTimeMs: new Date(0) }],
    // The user id and the client are arguments of their own.
    ['userId', { userId: 'grace' }],
    ['client', { client: { clientAddress: '192.0.2.1' } }],
    // A misspelt `accountId` must not lead to a session that is bound to no account.
    ['account_id', { account_id: 1 }],
  ])('is rejected with a TypeError that names %s: %j', async (field, wrong) => {
    const { grant, events, login } = fixture();
    const request = { amr: ['pwd'], ...wrong } as LoginRequest;
    const rejection = login('ada', request);
    await expect(rejection).rejects.toThrow(TypeError);
    await expect(rejection).rejects.toThrow(`auth.login: request.${field} `);
    expect(grant).not.toHaveBeenCalled();
    expect(events).toEqual([]);
  });

  it.each([undefined, null, 'pwd'])('is rejected with a TypeError if it is %j', async (request) => {
    const { grant, login } = fixture();
    const rejection = login('ada', request as unknown as LoginRequest);
    await expect(rejection).rejects.toThrow(TypeError);
    await expect(rejection).rejects.toThrow('auth.login: request.');
    expect(grant).not.toHaveBeenCalled();
  });

  it.each([undefined, '', 7])(
    'is rejected with a TypeError if the user id is %j',
    async (userId) => {
      const { grant, login } = fixture();
      const rejection = login(userId as string, { amr: ['pwd'] });
      await expect(rejection).rejects.toThrow(TypeError);
      await expect(rejection).rejects.toThrow('userId must ');
      expect(grant).not.toHaveBeenCalled();
    },
  );

  it.each<[mistake: string, client: unknown]>([
    ['client must be an object', null],
    ['client must be an object', '192.0.2.1'],
    ['client.clientAddress must be a string', { clientAddress: 7, userAgent: null }],
    ['client.userAgent must be a string', { clientAddress: null, userAgent: ['a'] }],
  ])('is rejected with a TypeError: %s (%j)', async (mistake, client) => {
    const { grant, events, login } = fixture();
    const rejection = login('ada', { amr: ['pwd'] }, client as ClientInfo);
    await expect(rejection).rejects.toThrow(TypeError);
    await expect(rejection).rejects.toThrow(mistake);
    expect(grant).not.toHaveBeenCalled();
    expect(events).toEqual([]);
  });

  it('has null as address and user agent if the client is empty', async () => {
    const { grant, login } = fixture();
    await login('ada', { amr: ['pwd'] }, {} as ClientInfo);
    const client = { clientAddress: null, userAgent: null };
    expect(grant.mock.calls).toMatchObject([[{ client }]]);
  });
});
