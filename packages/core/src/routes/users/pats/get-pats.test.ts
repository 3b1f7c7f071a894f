import { expect, it } from 'vitest';
import type { AccountId } from '../../../account-id.ts';
import type { Auth } from '../../../auth.ts';
import { createAuth } from '../../../create-auth.ts';
import { toFetchHandler } from '../../../http/to-fetch-handler.ts';
import type { Scope } from '../../../scopes/scope.ts';
import { memoryStorage } from '../../../storage/memory/memory-storage.ts';
import type { HostClaims } from '../../../tokens/host-claims.ts';
import type { BuiltInEvents } from '../../../webhooks/events/event-types.ts';

const scopes = ['user', 'auth'] as const;

const issuer = 'http://localhost';

/** Logs Ada in, and returns a function that sends requests as her. */
async function logInAda<Id extends AccountId>(
  auth: Pick<Auth<BuiltInEvents, HostClaims, Scope, Id>, 'login' | 'http'>,
) {
  const login = await auth.login('ada', { amr: ['fed'], scopes });
  if (login.outcome !== 'issued') throw new Error(login.outcome);
  const headers = {
    authorization: `Bearer ${login.tokens.accessToken}`,
    'content-type': 'application/json',
  };
  const handle = toFetchHandler(auth);
  return async (init: RequestInit = {}) => {
    const request = new Request(`${issuer}/users/self/pats`, { headers, ...init });
    const response = await handle(request, { remoteAddress: '192.0.2.1' });
    return response?.json();
  };
}

it('personal access tokens of integer accounts are not listed once account ids are strings', async () => {
  const storage = memoryStorage();
  const userOf = <Id>(account: Id) => ({
    id: 'ada',
    passwordHash: null,
    accounts: [account],
    scopes,
  });
  const usersOf = <Id>(account: Id) => ({
    findById: async () => userOf(account),
    findByUsername: async () => userOf(account),
  });
  const sendBefore = await logInAda(createAuth({ issuer, storage, users: usersOf(1) }));
  for (const [name, account_id] of [['bound', 1], ['free']]) {
    const body = JSON.stringify({ name, scopes: ['user'], account_id });
    await sendBefore({ method: 'POST', body });
  }
  const bothTokens = [{ name: 'bound', account_id: 1 }, { name: 'free' }];
  expect(await sendBefore()).toMatchObject({ data: bothTokens });
  const authWithStringIds = createAuth({
    issuer,
    storage,
    users: usersOf('a'),
    accounts: { id: 'string' },
  });
  const sendAfter = await logInAda(authWithStringIds);
  expect(await sendAfter()).toMatchObject({ data: [{ name: 'free', account_id: null }] });
});
