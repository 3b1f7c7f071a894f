import { expect, it } from 'vitest';
import { plainRequest } from '../http/plain-request.test.support.ts';
import { createAssertCredentialValid } from './assert-credential-valid.ts';
import type { AuthInfo } from './auth-info.ts';
import type { Authentication } from './authenticate.ts';
import { badToken } from './bearer-rejections.ts';

const request = plainRequest({ authorization: 'Bearer a.b.c' });

const ADA = { credential: 'access_token', userId: 'ada' } as unknown as AuthInfo;

/** What comes of a second look that finds this. */
async function lookingAgain(found: Authentication) {
  const asked: unknown[] = [];
  const assertCredentialValid = createAssertCredentialValid((...question) => {
    asked.push(question);
    return found;
  });
  const rejection = await assertCredentialValid(request).catch((error: unknown) => error);
  return { rejection, asked };
}

it('a recheck always checks that the session is live', async () => {
  const { rejection, asked } = await lookingAgain({ outcome: 'authenticated', auth: ADA });
  expect(rejection).toBeUndefined();
  expect(asked).toEqual([['Bearer a.b.c', { checkSession: true }, request]]);
});

it.each(['invalid', 'absent'] as const)(
  'a recheck fails as for a bad token if the credential is now %s',
  async (outcome) => {
    expect((await lookingAgain({ outcome })).rejection).toBe(badToken);
  },
);
