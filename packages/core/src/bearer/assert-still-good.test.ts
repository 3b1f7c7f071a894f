import { expect, it } from 'vitest';
import { createAssertStillGood } from './assert-still-good.ts';
import type { AuthInfo } from './auth-info.ts';
import type { Authentication } from './authenticate.ts';
import { badToken } from './bearer-refusals.ts';

const ADA = { credential: 'access_token', userId: 'ada' } as unknown as AuthInfo;

/** What comes of a second look that finds this. */
async function lookingAgain(found: Authentication) {
  const asked: unknown[] = [];
  const assertStillGood = createAssertStillGood((...question) => {
    asked.push(question);
    return found;
  });
  const refusal = await assertStillGood('Bearer a.b.c').catch((error: unknown) => error);
  return { refusal, asked };
}

it('asks whether the session lives, whatever the token carries', async () => {
  const { refusal, asked } = await lookingAgain({ outcome: 'authenticated', auth: ADA });
  expect(refusal).toBeUndefined();
  expect(asked).toEqual([['Bearer a.b.c', { checkSession: true }]]);
});

it.each(['invalid', 'absent'] as const)(
  'refuses as a bad token what is %s by now',
  async (outcome) => {
    expect((await lookingAgain({ outcome })).refusal).toBe(badToken);
  },
);
