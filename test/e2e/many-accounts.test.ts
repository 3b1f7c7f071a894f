import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { claimsIn, introspect, serviceOf } from '../support/clients/introspect-calls.ts';
import { makePat, managerOf } from '../support/clients/pat-calls.ts';
import {
  answerChallenge,
  challengeOf,
  type ErrorBody,
  errorOf,
  logIn,
  putJson,
  refresh,
  session,
  tokensOf,
  totp,
} from '../support/clients/token-calls.ts';
import { callsOf, callsWith, register } from '../support/clients/webhook-calls.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { GRACE_MS, SECOND_MS } from '../support/time/policy-times.ts';

/** Ids of `count` accounts, each with `digits` digits. */
function accounts(digits: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => 10 ** (digits - 1) + i);
}

const MANY = accounts(5, 2_000);
const [FIRST = 0, SECOND = 0] = MANY;

const REJECTED: ErrorBody = {
  error: 'invalid_request',
  error_description:
    'The user has more accounts than a token can name; bind the login to one of them by account_id.',
  errors: [{ field: 'account_id', message: 'is required for a user of so many accounts' }],
};

inEveryCell(
  'a user with more accounts than a token can name',
  (test) => {
    test('is asked for account_id at login and refresh, and keeps the existing sessions', async (app) => {
      const first = await session(app);
      app.users.change('ada', { accounts: MANY });
      app.users.change('grace', { accounts: MANY });
      for (let time = 0; time < 3; time += 1) {
        expect(errorOf(await logIn(app, 'ada'))).toEqual(REJECTED);
        expect(errorOf(await logIn(app, 'grace'))).toEqual(REJECTED);
        expect(errorOf(await logIn(app, 'ada', {}, '?version=v1'))).toEqual(REJECTED);
      }
      expect(await app.auth.sessions.list('ada')).toHaveLength(1);
      expect(await app.auth.sessions.list('grace')).toEqual([]);
      const reasons = app.events.map((event) => 'reason' in event && event.reason);
      expect(reasons.filter((reason) => reason === 'too_many_accounts')).toHaveLength(9);
      // A wrong password gets the usual error.
      const wrong = await logIn(app, 'ada', { password: 'wrong' });
      expect(wrong.body).toBe((await logIn(app, 'nobody')).body);
      // The rejected refresh rotates nothing: the same token works once the user has fewer accounts.
      for (const rejected of [
        await refresh(app, first.refresh_token),
        await putJson(app, '/token', { refresh_token: first.refresh_token }),
      ]) {
        expect(errorOf(rejected)).toEqual(REJECTED);
      }
      app.users.change('ada', { accounts: [1, 2] });
      app.clock.advance(GRACE_MS + SECOND_MS);
      expect(tokensOf(await refresh(app, first.refresh_token)).accounts).toEqual([1, 2]);
    });

    test('gets tokens that name the bound account only', async (app) => {
      app.users.change('ada', { accounts: MANY });
      const login = await session(app, 'ada', { account_id: SECOND });
      const successor = tokensOf(await refresh(app, login.refresh_token));
      // Logged in while all accounts fit into a token without binding it to one, and bound at the refresh.
      const unbound = await (async () => {
        app.users.change('ada', { accounts: [FIRST, SECOND] });
        const { refresh_token } = await session(app);
        app.users.change('ada', { accounts: MANY });
        return tokensOf(await refresh(app, refresh_token, { account_id: SECOND }));
      })();
      app.users.change('grace', { accounts: MANY });
      const { challenge } = challengeOf(await logIn(app, 'grace', { account_id: SECOND }));
      const proven = tokensOf(await answerChallenge(app, challenge, { code: totp(app) }));
      for (const tokens of [login, successor, unbound, proven]) {
        expect(tokens.accounts).toEqual(MANY);
        expect(decodeJwt(tokens.access_token)).toMatchObject({
          accounts: [SECOND],
          account_id: SECOND,
        });
      }
    });

    test('acts for the bound account with every kind of credential', async (app) => {
      const ask = await serviceOf(app);
      app.users.change('ada', { accounts: MANY });
      const bound = await callsOf(app, 'ada', { account_id: SECOND });
      expect((await register(bound)).account_id).toBe(SECOND);
      expect((await register(bound, {}, `?account_id=${SECOND}`)).account_id).toBe(SECOND);
      const foreign = await bound.send('GET', `/webhooks?account_id=${FIRST}`);
      expect(errorOf(foreign, 403).error).toBe('access_denied');

      const { access_token } = await session(app, 'ada', { account_id: SECOND, scopes: 'auth' });
      const pat = await makePat(callsWith(app, access_token));
      expect(pat.account_id).toBe(SECOND);
      const bindings = { active: true, account_id: SECOND };
      expect(claimsIn(await ask(access_token))).toMatchObject({ ...bindings, accounts: [SECOND] });
      // The users table is asked at every use: the token carries no list of accounts.
      expect(claimsIn(await ask(pat.token))).toMatchObject({ ...bindings, accounts: MANY });
      const script = callsWith(app, pat.token);
      expect((await register(script)).account_id).toBe(SECOND);
      const beyond = await script.send('GET', `/webhooks?account_id=${FIRST}`);
      expect(errorOf(beyond, 403).error).toBe('access_denied');

      // Once the user has lost the account, neither credential acts for any account.
      app.users.change('ada', { accounts: [FIRST] });
      expect(errorOf(await bound.send('GET', '/webhooks'), 403).error).toBe('access_denied');
      expect(errorOf(await script.send('GET', '/webhooks'), 401).error).toBe('invalid_token');
    });

    test('may have a personal access token for all accounts', async (app) => {
      const manager = await managerOf(app);
      app.users.change('ada', { accounts: MANY, scopes: ['user', 'internal'] });
      const { token } = await makePat(manager, { scopes: ['user', 'internal'] });
      const response = await introspect(app, token, JSON.stringify({ token }));
      expect(claimsIn(response)['accounts']).toEqual(MANY);
    });
  },
  { auth: { webhooks: { worker: handDelivery() } } },
);
