import { describe, expect, it } from 'vitest';
import type { SessionRecord } from '../storage/session-store.ts';
import { createCheckUserStatus } from './check-user-status.ts';
import type { User } from './users.ts';

const SECOND_MS = Date.UTC(2027, 0, 1);
/** In the middle of the second that its tokens name. */
const LOGIN_MS = SECOND_MS + 400;
const ADA: User = { id: 'ada', passwordHash: null, accounts: [1] };
const LOGIN = { userId: 'ada', sessionId: 's1', accountId: 1, authTimeMs: SECOND_MS };

function setup(change: Partial<User> | null, sessionId = 's1') {
  const asked: string[] = [];
  const session = { sessionId, authTimeMs: LOGIN_MS } as SessionRecord;
  const userStatus = createCheckUserStatus({
    users: { findById: async () => change && { ...ADA, ...change } },
    sessions: {
      async list(userId) {
        asked.push(userId);
        return [session];
      },
    },
  });
  return { userStatus, asked };
}

describe('the login of an access token', () => {
  it.each<[string, string, Partial<User> | null]>([
    ['good', 'whose password was never changed', {}],
    ['good', 'under a password from before its second', { passwordChangedAtMs: SECOND_MS }],
    [
      'password_changed',
      'from the second before the change',
      { passwordChangedAtMs: SECOND_MS + 1000 },
    ],
    ['user_gone', 'of nobody', null],
    ['user_disabled', 'of a disabled user', { disabled: true, passwordChangedAtMs: LOGIN_MS }],
    ['membership_lost', 'for an account that is lost', { accounts: [2] }],
  ])('is %s, %s, and no session is asked for', async (outcome, _, change) => {
    const { userStatus, asked } = setup(change);
    expect(await userStatus(LOGIN)).toMatchObject({ outcome });
    expect(asked).toEqual([]);
  });

  it.each([
    ['good', 'in the millisecond in which the password was set', LOGIN_MS],
    ['good', 'after the password was set, within the second', SECOND_MS + 1],
    ['password_changed', 'before the password was changed, within the second', LOGIN_MS + 1],
    ['password_changed', 'before the password was changed at its end', SECOND_MS + 999],
  ])('is %s, %s', async (outcome, _, passwordChangedAtMs) => {
    const { userStatus, asked } = setup({ passwordChangedAtMs });
    expect(await userStatus(LOGIN)).toMatchObject({ outcome });
    expect(asked).toEqual(['ada']);
  });

  it('is rejected if it is in doubt and its session is over', async () => {
    const { userStatus } = setup({ passwordChangedAtMs: SECOND_MS + 1 }, 's2');
    expect(await userStatus(LOGIN)).toEqual({ outcome: 'password_changed' });
  });
});
