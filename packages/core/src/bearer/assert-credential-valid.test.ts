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

it('a recheck asks whether the session lives, whatever the token carries', async () => {
  const { rejection, asked } = await lookingAgain({ outcome: 'authenticated', auth: ADA });
  expect(rejection).toBeUndefined();
  expect(asked).toEqual([['Bearer a.b.c', { checkSession: true }, request]]);
});

it.each(['invalid', 'absent'] as const)(
  'a recheck rejects as a bad token what is %s by now',
  async (outcome) => {
    expect((await lookingAgain({ outcome })).rejection).toBe(badToken);
  },
);
