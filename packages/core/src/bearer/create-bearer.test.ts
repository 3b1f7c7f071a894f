import { describe, expect, it } from 'vitest';
import { AuthError } from '../errors.ts';
import { newPersonalAccessToken } from '../personal-access-tokens/personal-access-token.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { builtInScopes } from '../scopes/scope-table.ts';
import { warningsOf } from '../warnings-of.test.support.ts';
import { createAuthenticate } from './authenticate.ts';
import type { BearerRequirement } from './bearer.ts';
import {
  ACCESS_DENIED,
  BAD_TOKEN,
  headerFor,
  NOW_MS,
  type Subject,
  setup,
  subject,
  summary,
  TOKEN_LIFETIME_SECONDS,
  UNAVAILABLE,
} from './bearer-fixture.test.support.ts';
import { createBearer } from './create-bearer.ts';

const vocabulary = { scopeTable: builtInScopes, accountIdKind: 'integer' } as const;

describe('a bearer check', () => {
  it('returns passed and the AuthInfo of a valid token', async () => {
    const { bearer } = await setup();
    expect(await bearer.check(await headerFor(), { scope: 'user' })).toMatchObject({
      outcome: 'passed',
      auth: {
        credential: 'access_token',
        ...subject,
        clientId: 'latchhook',
        expiresAtMs: NOW_MS + 1000 * TOKEN_LIFETIME_SECONDS,
      },
    });
  });

  it('returns synchronously for a token that was verified before', async () => {
    const { bearer } = await setup();
    const header = await headerFor();
    await bearer.check(header, {});
    expect(bearer.check(header, { scope: 'user', accountId: 1 })).toMatchObject({
      outcome: 'passed',
    });
    expect(bearer.check(header, { scope: 'admin' })).toMatchObject({ outcome: 'rejected' });
  });

  it('returns synchronously if there is no token', async () => {
    const { bearer } = await setup();
    expect(bearer.check(undefined, {})).toMatchObject({ outcome: 'rejected' });
  });

  it.each([undefined, '', 'Basic dTpw'])(
    'rejects the header %j with a challenge without an error code',
    async (header) => {
      const { check } = await setup();
      expect(await check(header)).toEqual({
        status: 401,
        error: 'invalid_token',
        challenge: 'Bearer',
      });
    },
  );

  it.each([
    'Bearer',
    'Bearer a b',
    'Bearer a.b.c',
    'Bearer é.é.é',
    'Bearer lh_pat_0',
    `Bearer ${'a'.repeat(9000)}`,
    'Bearer "\r\nset-cookie: x',
  ])('rejects %j with the same response as any other bad token', async (header) => {
    const { check, bearer } = await setup();
    expect(await check(header)).toEqual(BAD_TOKEN);
    expect(await bearer.check(header, {})).toEqual(await bearer.check('Bearer x.y.z', {}));
  });

  it.each([undefined, 'Bearer x.y.z'])(
    'returns a new response for each rejection of the header %j, so that a host may add headers',
    async (header) => {
      const { bearer } = await setup();
      const before = await bearer.check(header, {});
      if (before.outcome === 'passed') throw new Error('accepted a bad token');
      Object.assign(before.response.headers, { 'x-request-id': '1' });
      expect(await bearer.check(header, {})).not.toHaveProperty('response.headers.x-request-id');
    },
  );

  it('sends cache-control: no-store with a rejection', async () => {
    const { bearer } = await setup();
    expect(await bearer.check(undefined, {})).toMatchObject({
      response: { headers: { 'cache-control': 'no-store' } },
    });
  });
});

describe('a bearer check that requires scopes', () => {
  it.each<[Subject['scopes'], BearerRequirement['scope'] & object]>([
    [['user'], []],
    [['user'], ['user']],
    [
      ['user', 'admin'],
      ['user', 'admin'],
    ],
  ])('passes a token with the scopes %j if it requires %j', async (scopes, scope) => {
    const { check } = await setup();
    expect(await check(await headerFor({ scopes }), { scope })).toBe('passes');
  });

  it.each<[Subject['scopes'], BearerRequirement['scope'] & object, string]>([
    [['user'], ['admin', 'user'], 'user admin'],
    [['user', 'admin'], ['auth'], 'auth'],
  ])(
    'rejects a token with the scopes %j if it requires %j, by a challenge that names %j',
    async (scopes, scope, challenged) => {
      const { check } = await setup();
      expect(await check(await headerFor({ scopes }), { scope })).toEqual({
        status: 403,
        error: 'insufficient_scope',
        challenge: `Bearer error="insufficient_scope", scope="${challenged}"`,
      });
    },
  );
});

describe('the account that a route requires', () => {
  it.each<[string, Partial<Subject>, number, unknown]>([
    ['is allowed if the user has it', {}, 2, 'passes'],
    ['is forbidden if the user does not have it', {}, 3, ACCESS_DENIED],
    ['is allowed if the token is bound to it', { accountId: 2 }, 2, 'passes'],
    ['is forbidden if the token is bound to another account', { accountId: 2 }, 1, ACCESS_DENIED],
    [
      'is forbidden if the user has lost the account that the token is bound to',
      { accountId: 3 },
      3,
      ACCESS_DENIED,
    ],
    ['is forbidden if the user has no account', { accounts: [] }, 1, ACCESS_DENIED],
  ])('%s', async (_, changes, accountId, expected) => {
    const { check } = await setup();
    expect(await check(await headerFor(changes), { accountId })).toEqual(expected);
  });

  it.each([undefined, Number.NaN])(
    'is forbidden to every token if its id is %s',
    async (accountId) => {
      const { check } = await setup();
      expect(await check(await headerFor(), { accountId })).toEqual(ACCESS_DENIED);
    },
  );

  it('is forbidden to every token if it is given as `account`, the option of requireAuth', async () => {
    const { check } = await setup();
    const requirement = { scope: 'user', account: () => 1 } as const;
    expect(await check(await headerFor(), requirement)).toEqual(ACCESS_DENIED);
  });

  it('is forbidden to every token if its id is a string and accounts are integers, and the process warns once', async () => {
    const { bearer } = await setup();
    const header = await headerFor();
    await bearer.check(header, {});
    const codes = warningsOf(() => {
      for (const accountId of [3, undefined, Number.NaN, '1', 'acme']) {
        const outcome = bearer.check(header, { accountId });
        expect(summary(outcome as never)).toEqual(ACCESS_DENIED);
      }
    });
    expect(codes).toEqual(['LATCHHOOK_ACCOUNTS']);
  });

  it('is checked after the scope: a token that lacks both gets insufficient_scope', async () => {
    const { check } = await setup();
    expect(await check(await headerFor(), { scope: 'admin', accountId: 3 })).toMatchObject({
      error: 'insufficient_scope',
    });
  });
});

describe('a fault of the verifier', () => {
  it('is emitted, and gets the response 500', async () => {
    const error = new Error('broken');
    const authenticate = createAuthenticate({
      verifier: { verify: () => Promise.reject(error) },
      sessions: { isLive: async () => true },
      scopeTable: builtInScopes,
      emit: () => {},
    });
    const events: SecurityEvent[] = [];
    const bearer = createBearer({
      ...vocabulary,
      authenticate,
      emit: (event) => events.push(event),
    });
    expect(summary(await bearer.check('Bearer a.b.c', {}))).toMatchObject({ status: 500 });
    expect(events).toEqual([{ type: 'fault', where: 'internal', error }]);
  });
});

describe('a failure of the user store for the owner of a personal access token', () => {
  function userStoreFailsBy(error: AuthError) {
    const authenticate = createAuthenticate({
      verifier: { verify: () => Promise.reject(new Error('not an access token')) },
      sessions: { isLive: async () => true },
      usePersonalAccessToken: () => Promise.reject(error),
      scopeTable: builtInScopes,
      emit: () => {},
    });
    const events: SecurityEvent[] = [];
    const bearer = createBearer({
      ...vocabulary,
      authenticate,
      emit: (event) => events.push(event),
    });
    return { check: () => bearer.check(`Bearer ${newPersonalAccessToken()}`, {}), events };
  }

  it('is emitted as a fault, and gets the response 500, if the user is malformed', async () => {
    const error = new AuthError('server_error', 'Sorry.', { where: 'user_store' });
    const { check, events } = userStoreFailsBy(error);
    expect(summary(await check())).toMatchObject({ status: 500, error: 'server_error' });
    expect(events).toEqual([{ type: 'fault', where: 'user_store', error }]);
  });

  it('gets the response 503 and no second fault event if its fault was emitted already', async () => {
    const { check, events } = userStoreFailsBy(new AuthError('temporarily_unavailable', 'Later.'));
    expect(summary(await check())).toEqual(UNAVAILABLE);
    expect(events).toEqual([]);
  });
});
