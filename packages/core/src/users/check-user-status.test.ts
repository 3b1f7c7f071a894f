import { describe, expect, it } from 'vitest';
import type { SessionRecord } from '../storage/session-store.ts';
import { createCheckUserStatus } from './check-user-status.ts';
import type { User } from './users.ts';

/** The second of the login: the `auth_time` of its tokens. */
const SECOND_MS = Date.UTC(2027, 0, 1);
const END_OF_SECOND_MS = SECOND_MS + 999;
const NEXT_SECOND_MS = SECOND_MS + 1_000;
/** The time of the login, within its second. */
const LOGIN_MS = SECOND_MS + 400;
const ADA: User = { id: 'ada', passwordHash: null, accounts: [1] };
const LOGIN = { userId: 'ada', sessionId: 's1', accountId: 1, authTimeMs: SECOND_MS };

function setup(change: Partial<User> | null, sessionId = 's1') {
  const listedUserIds: string[] = [];
  const session = { sessionId, authTimeMs: LOGIN_MS } as SessionRecord;
  const userStatus = createCheckUserStatus({
    users: { findById: async () => change && { ...ADA, ...change } },
    sessions: {
      async list(userId) {
        listedUserIds.push(userId);
        return [session];
      },
    },
  });
  return { userStatus, listedUserIds };
}

describe('the login of an access token', () => {
  it.each<[string, string, Partial<User> | null]>([
    ['good', 'if the password was never changed', {}],
    [
      'good',
      'if the password was changed at the start of the second of the login',
      { passwordChangedAtMs: SECOND_MS },
    ],
    [
      'password_changed',
      'if the password was changed in the second after the login',
      { passwordChangedAtMs: NEXT_SECOND_MS },
    ],
    ['user_gone', 'if the user does not exist', null],
    ['user_disabled', 'if the user is disabled', { disabled: true, passwordChangedAtMs: LOGIN_MS }],
    ['membership_lost', 'if the user has lost the account', { accounts: [2] }],
  ])('is %s %s, without a look-up of the session', async (outcome, _, change) => {
    const { userStatus, listedUserIds } = setup(change);
    expect(await userStatus(LOGIN)).toMatchObject({ outcome });
    expect(listedUserIds).toEqual([]);
  });

  it.each([
    ['good', 'if the password was set in the same millisecond', LOGIN_MS],
    ['good', 'if the password was set earlier in the same second', SECOND_MS + 1],
    ['password_changed', 'if the password was changed later in the same second', LOGIN_MS + 1],
    [
      'password_changed',
      'if the password was changed in the last ms of its second',
      END_OF_SECOND_MS,
    ],
  ])('is %s %s, by the login time of the session', async (outcome, _, passwordChangedAtMs) => {
    const { userStatus, listedUserIds } = setup({ passwordChangedAtMs });
    expect(await userStatus(LOGIN)).toMatchObject({ outcome });
    expect(listedUserIds).toEqual(['ada']);
  });

  it('is password_changed if the password was changed in the same second and the session is gone', async () => {
    const { userStatus } = setup({ passwordChangedAtMs: SECOND_MS + 1 }, 's2');
    expect(await userStatus(LOGIN)).toEqual({ outcome: 'password_changed' });
  });
});
