import { describe, expect, it } from 'vitest';
import { StorageUnavailableError } from '../errors.ts';
import {
  BAD_TOKEN,
  bearerOver,
  headerFor,
  type Subject,
  setup,
  subject,
  UNAVAILABLE,
} from './bearer-fixture.test.support.ts';

describe('the session of a token', () => {
  it.each<Subject['scopes'][number]>(['admin', 'internal', 'auth'])(
    'is checked at every request if the token has the scope %s',
    async (scope) => {
      const { check, sessionCheckCount } = await setup();
      const header = await headerFor({ scopes: ['user', scope] });
      for (let request = 0; request < 3; request++) expect(await check(header)).toBe('passes');
      expect(sessionCheckCount()).toBe(3);
    },
  );

  it('is not checked if the token has only the scope user', async () => {
    const { check, sessionCheckCount } = await setup();
    const header = await headerFor();
    await check(header);
    await check(header);
    expect(sessionCheckCount()).toBe(0);
  });

  it('is checked for any scope if the route sets checkSession', async () => {
    const { check, sessionCheckCount } = await setup();
    const header = await headerFor();
    await check(header);
    expect(await check(header, { checkSession: true })).toBe('passes');
    expect(sessionCheckCount()).toBe(1);
  });

  it('makes every checked request fail with invalid_token once it was revoked', async () => {
    const { check, sessions } = await setup();
    const admin = await headerFor({ scopes: ['user', 'admin'] });
    const user = await headerFor();
    expect(await check(admin)).toBe('passes');
    await sessions.revoke(subject);
    expect(await check(admin)).toEqual(BAD_TOKEN);
    expect(await check(user, { checkSession: true })).toEqual(BAD_TOKEN);
    expect(await check(user)).toBe('passes');
  });

  it('is checked before the scope: if it has ended and the scope is missing, the error is invalid_token', async () => {
    const { check, sessions } = await setup();
    await sessions.revokeAll(subject.userId);
    const header = await headerFor({ scopes: ['admin'] });
    expect(await check(header, { scope: 'auth' })).toEqual(BAD_TOKEN);
  });

  it.each([
    ['rejects', () => Promise.reject(new StorageUnavailableError('down'))],
    [
      'throws synchronously',
      () => {
        throw new Error('down');
      },
    ],
  ])(
    'cannot be checked if the store %s: a token with the scope admin gets 503, one with only user passes',
    async (_, isLive) => {
      const { check, events } = bearerOver({ isLive });
      expect(await check(await headerFor({ scopes: ['user', 'admin'] }))).toEqual(UNAVAILABLE);
      expect(await check(await headerFor())).toBe('passes');
      expect(events).toEqual([
        { type: 'fault', where: 'storage', error: expect.objectContaining({ message: 'down' }) },
      ]);
    },
  );

  it.each([undefined, 1, 'false', {}])(
    'is not live if the store returns %j instead of true',
    async (result) => {
      const { check } = bearerOver({ isLive: async () => result as unknown as boolean });
      expect(await check(await headerFor({ scopes: ['admin'] }))).toEqual(BAD_TOKEN);
    },
  );
});
