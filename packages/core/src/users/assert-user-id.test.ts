import { describe, expect, it } from 'vitest';
import { createAuth } from '../create-auth.ts';

const users = { findByUsername: async () => null, findById: async () => null };
const auth = createAuth({ issuer: 'https://api.example.com', users, environment: 'development' });
const { sessions, factors, personalAccessTokens } = auth;

describe.each([
  ['sessions.list', (userId: string) => sessions.list(userId)],
  ['sessions.revoke', (userId: string) => sessions.revoke(userId, 's1')],
  ['sessions.revokeAll', (userId: string) => sessions.revokeAll(userId)],
  ['sessions.revokeOthers', (userId: string) => sessions.revokeOthers(userId, 's1')],
  ['factors.unlock', (userId: string) => factors.unlock(userId)],
  ['factors.remove', (userId: string) => factors.remove(userId)],
  ['personalAccessTokens.list', (userId: string) => personalAccessTokens.list(userId)],
  ['personalAccessTokens.revokeAll', (userId: string) => personalAccessTokens.revokeAll(userId)],
])('auth.%s', (_name, call) => {
  it.each([7, undefined, null, ''])(
    'rejects the user id %o, which no user has, with a TypeError',
    async (userId) => {
      const calling = call(userId as string);
      await expect(calling).rejects.toThrow(/^userId must be a string/);
    },
  );
});

it.each([7, undefined, null, ''])(
  'auth.sessions.revoke rejects the session id %o with a TypeError instead of resolving to false',
  async (sessionId) => {
    const calling = sessions.revoke('ada', sessionId as string);
    await expect(calling).rejects.toThrow(/^sessionId must be a string/);
  },
);

it.each([7, undefined, { token: 'lhp_x' }])(
  'auth.personalAccessTokens.revokeLeaked rejects the token %j with a TypeError instead of resolving to null',
  async (token) => {
    const calling = personalAccessTokens.revokeLeaked(token as never);
    await expect(calling).rejects.toThrow('revokeLeaked takes the text of the token');
  },
);
