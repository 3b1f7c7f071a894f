import { expect, it } from 'vitest';
import { plainRequest } from '../http/plain-request.test.support.ts';
import { createAssertCredentialValid } from './assert-credential-valid.ts';
import type { AuthInfo } from './auth-info.ts';
import type { Authentication } from './authenticate.ts';
import { badToken } from './bearer-rejections.ts';

const request = plainRequest({ authorization: 'Bearer a.b.c' });

const ADA = { credential: 'access_token', userId: 'ada' } as unknown as AuthInfo;

/** Rechecks a request whose credential now authenticates like this. */
async function recheck(authentication: Authentication) {
  const calls: unknown[] = [];
  const assertCredentialValid = createAssertCredentialValid((...args) => {
    calls.push(args);
    return authentication;
  });
  const rejection = await assertCredentialValid(request).catch((error: unknown) => error);
  return { rejection, calls };
}

it('assertCredentialValid always checks that the session is live', async () => {
  const { rejection, calls } = await recheck({ outcome: 'authenticated', auth: ADA });
  expect(rejection).toBeUndefined();
  expect(calls).toEqual([['Bearer a.b.c', { checkSession: true }, request]]);
});

it.each(['invalid', 'absent'] as const)(
  'assertCredentialValid rejects with invalid_token if the credential is now %s',
  async (outcome) => {
    expect((await recheck({ outcome })).rejection).toBe(badToken);
  },
);
