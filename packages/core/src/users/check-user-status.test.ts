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
    ['good', 'if the password was never changed', {}],
    ['good', 'if the password was changed before its second', { passwordChangedAtMs: SECOND_MS }],
    [
      'password_changed',
      'if the password was changed a second later',
      { passwordChangedAtMs: SECOND_MS + 1000 },
    ],
    ['user_gone', 'if the user does not exist', null],
    ['user_disabled', 'if the user is disabled', { disabled: true, passwordChangedAtMs: LOGIN_MS }],
    ['membership_lost', 'if the user has lost the account', { accounts: [2] }],
  ])('is %s %s, without a session look-up', async (outcome, _, change) => {
    const { userStatus, asked } = setup(change);
    expect(await userStatus(LOGIN)).toMatchObject({ outcome });
    expect(asked).toEqual([]);
  });

  it.each([
    ['good', 'if the password was set in its millisecond', LOGIN_MS],
    ['good', 'if the password was set earlier in its second', SECOND_MS + 1],
    ['password_changed', 'if the password was changed later in its second', LOGIN_MS + 1],
    ['password_changed', 'if the password was changed at the end of its second', SECOND_MS + 999],
  ])('is %s %s, by the time of its session', async (outcome, _, passwordChangedAtMs) => {
    const { userStatus, asked } = setup({ passwordChangedAtMs });
    expect(await userStatus(LOGIN)).toMatchObject({ outcome });
    expect(asked).toEqual(['ada']);
  });

  it('is password_changed if its second is ambiguous and its session is gone', async () => {
    const { userStatus } = setup({ passwordChangedAtMs: SECOND_MS + 1 }, 's2');
    expect(await userStatus(LOGIN)).toEqual({ outcome: 'password_changed' });
  });
});
