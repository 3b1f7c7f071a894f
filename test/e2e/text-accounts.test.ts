import type { StartDeliveryWorker } from '@latchhook/core';
import type { DeliveryContext } from '@latchhook/core/delivery';
import type { ClaimRequest } from '@latchhook/core/storage';
import { expect } from 'vitest';
import { withTextAccounts } from '../support/apps/app-listeners.ts';
import type { TestApp, TestAppOptions } from '../support/apps/test-app.ts';
import { serviceOf } from '../support/clients/introspect-calls.ts';
import { makePat } from '../support/clients/pat-calls.ts';
import { ACME, NAMES, UUID, withAccounts } from '../support/clients/text-accounts.ts';
import {
  answerChallenge,
  errorOf,
  get,
  logIn,
  pendingChallenge,
  postForm,
  refresh,
  session,
  tokensOf,
  totp,
} from '../support/clients/token-calls.ts';
import { TEST_PASSWORD, type TestUsers } from '../support/clients/users.ts';
import {
  bodyOf,
  callsOf,
  callsWith,
  type ListBody,
  register,
  type WebhookBody,
} from '../support/clients/webhook-calls.ts';
import { inEveryCell, onEnginesToo } from '../support/storage/in-every-cell.ts';

/** The account ids that the user store returns; tests may replace them. */
const named: { account: (id: number) => unknown } = { account: (id) => NAMES[id] };

const userStore = (users: TestUsers) => withAccounts(users, (id) => named.account(id));

let delivery: DeliveryContext | undefined;
const worker: StartDeliveryWorker = (context) => {
  delivery = context;
  return { drain: async () => ({ outcome: 'drained' }), close: async () => {} };
};

const shared = {
  userStore,
  auth: { accounts: { id: 'string' }, webhooks: { worker } },
} as unknown as TestAppOptions;

function claimsIn(accessToken: string) {
  return JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
}

const query = (account: string) => `?account_id=${encodeURIComponent(account)}`;

onEnginesToo(
  'an app with text account ids',
  (test) => {
    test('issues tokens with text account ids', async (app) => {
      const free = await session(app);
      expect(free.accounts).toEqual([ACME, UUID]);
      expect(claimsIn(free.access_token).accounts).toEqual([ACME, UUID]);
      expect(claimsIn(free.access_token)).not.toHaveProperty('account_id');

      const bound = await session(app, 'ada', { account_id: ACME });
      const again = tokensOf(await refresh(app, bound.refresh_token));
      for (const { access_token } of [bound, again]) {
        expect(claimsIn(access_token)).toMatchObject({ accounts: [ACME], account_id: ACME });
      }
      const chosen = tokensOf(await refresh(app, free.refresh_token, { account_id: UUID }));
      expect(claimsIn(chosen.access_token).account_id).toBe(UUID);
      const form = { username: 'ada@example.com', password: TEST_PASSWORD, account_id: ACME };
      const { access_token } = tokensOf(await postForm(app, '/token', form));
      expect(claimsIn(access_token).account_id).toBe(ACME);

      const challenge = await pendingChallenge(app, { account_id: UUID });
      const answered = tokensOf(await answerChallenge(app, challenge, { code: totp(app) }));
      expect(claimsIn(answered.access_token).account_id).toBe(UUID);
    });

    test('rejects malformed account ids and those that the user lacks', async (app) => {
      for (const account_id of [1, '', 'a b', 'ä', 'x'.repeat(65), null, [ACME]]) {
        const { errors } = errorOf(await logIn(app, 'ada', { account_id }));
        const message = 'must be a string of 1 to 64 visible ASCII characters';
        expect(errors).toEqual([{ field: 'account_id', message }]);
      }
      for (const account_id of ['3', '1', UUID.toUpperCase(), ACME.slice(1)]) {
        expect(errorOf(await logIn(app, 'ada', { account_id }), 403).error).toBe('access_denied');
      }
      const bound = await session(app, 'ada', { account_id: ACME });
      const other = await refresh(app, bound.refresh_token, { account_id: UUID });
      expect(errorOf(other).error).toBe('invalid_request');
    });

    test('guards routes of the host by text account ids', async (app) => {
      const { access_token: free } = await session(app);
      const { access_token: bound } = await session(app, 'ada', { account_id: UUID });
      const statusOf = async (account: string, token: string) =>
        (await get(app, `/tenants/${encodeURIComponent(account)}`, token)).status;
      expect(await statusOf(ACME, free)).toBe(200);
      expect(await statusOf(UUID, bound)).toBe(200);
      expect(await statusOf(ACME, bound)).toBe(403);
      expect(await statusOf(UUID.toUpperCase(), free)).toBe(403);
      expect(await statusOf('3', free)).toBe(403);
      const { body } = await get(app, `/tenants/${UUID}`, bound);
      expect(JSON.parse(body)).toMatchObject({ accounts: [UUID], accountId: UUID });
    });

    test('registers webhooks by text account id and delivers the events of each account', async (app) => {
      const calls = await callsOf(app);
      const { id, account_id } = await register(calls, {}, query(UUID));
      expect(account_id).toBe(UUID);
      // Without an account of its own, a request concerns the first account of the user.
      expect((await register(calls)).account_id).toBe(ACME);
      const location = await calls.send('POST', `/webhooks${query(ACME)}`, {
        event: 'Contact.Added',
        url: 'https://receiver.example/hook',
      });
      expect((await calls.send('GET', String(location.headers['location']))).status).toBe(200);
      const { data }: ListBody<WebhookBody> = bodyOf(
        await calls.send('GET', `/webhooks${query(ACME)}&limit=1`),
        200,
      );
      expect(data).toMatchObject([{ account_id: ACME }]);
      // The webhook is of the other account.
      expect((await calls.send('GET', `/webhooks/${id}`)).status).toBe(404);
      expect((await calls.send('GET', `/webhooks/${id}${query('3')}`)).status).toBe(403);
      expect(errorOf(await calls.send('GET', '/webhooks?account_id=a+b')).errors).toMatchObject([
        { field: 'account_id' },
      ]);

      const { events, webhooks } = withTextAccounts(app.auth);
      await events.publish('Contact.Added', { accountId: UUID, data: {} });
      expect((await calls.send('POST', `/webhooks/${id}/ping${query(UUID)}`)).status).toBe(202);
      const policy = { ...delivery?.policy, limit: 9, rateMarginMs: 0 } as ClaimRequest;
      const { attempts = [] } = (await delivery?.deliveries.claim(policy)) ?? {};
      const bodies = attempts.map(({ body }) => JSON.parse(body));
      expect(bodies.map(({ type, account_id }) => [type, account_id])).toEqual([
        ['Contact.Added', UUID],
        ['Webhook.Ping', UUID],
      ]);
      const page = await calls.send('GET', `/webhooks/${id}/deliveries${query(UUID)}`);
      expect(bodyOf<ListBody<object>>(page, 200).data).toHaveLength(2);
      expect(await webhooks.find({ accountId: UUID, webhookId: id })).toMatchObject({
        accountId: UUID,
      });
      expect(app.events).toContainEqual(
        expect.objectContaining({ type: 'webhook.created', accountId: UUID, webhookId: id }),
      );
    });

    test('has text account ids in personal access tokens and sessions', async (app) => {
      const manager = await callsOf(app, 'ada', { account_id: ACME, scopes: 'user,auth' });
      const pat = await makePat(manager, { account_id: ACME });
      expect(pat).toMatchObject({ account_id: ACME });
      const hook = await register(callsWith(app, pat.token));
      expect(hook.account_id).toBe(ACME);
      app.clock.advance(1_000);
      const ask = await serviceOf(app);
      for (const token of [pat.token, manager.accessToken]) {
        expect(bodyOf(await ask(token), 200)).toMatchObject({ account_id: ACME });
      }
      const sessions = await get(app, '/users/self/sessions', manager.accessToken);
      expect(bodyOf<ListBody<object>>(sessions, 200).data).toMatchObject([
        { account_id: null },
        { account_id: ACME },
      ]);
    });
  },
  shared,
);

const wrongKind = async (app: TestApp) => {
  expect((await logIn(app, 'ada')).status).toBe(500);
  return app.events.at(-1);
};

inEveryCell('an account id of the wrong type', (test) => {
  test(
    'causes a 500 and a fault event that names the option `accounts` if the user store returns texts',
    async (app) => {
      expect(await wrongKind(app)).toMatchObject({
        type: 'fault',
        error: {
          message: expect.stringContaining(
            "`accounts` must be an array of integers; ids that are strings need accounts: { id: 'string' } of createAuth",
          ),
        },
      });
    },
    { userStore },
  );

  test(
    'causes a 500 and a fault event that names the option `accounts` if the user store returns integers',
    async (app) => {
      named.account = (id) => id;
      expect(await wrongKind(app)).toMatchObject({
        error: { message: expect.stringContaining("need accounts: { id: 'integer' }") },
      });
      named.account = (id) => NAMES[id];
    },
    shared,
  );

  test(
    'is rejected by each call of the host',
    async (app) => {
      const { events, webhooks, login } = app.auth;
      const url = 'https://receiver.example/hook';
      for (const call of [
        events.publish('Contact.Added', { accountId: 1, data: {} }),
        webhooks.create(1, { event: 'Contact.Added', url }),
        webhooks.list(1),
        webhooks.find({ accountId: 1, webhookId: 'wh_1' }),
      ]) {
        await expect(call).rejects.toThrow(
          /^accountId must be a string of 1 to 64 visible ASCII characters: .*; ids that are integers need/,
        );
      }
      const { response } = await login('ada', { amr: ['fed'], accountId: 1 });
      expect(JSON.parse(String(response.body))).toMatchObject({
        error: 'invalid_request',
        errors: [{ field: 'account_id' }],
      });
    },
    shared,
  );
});

inEveryCell(
  'the OpenAPI document of an app with text account ids',
  (test) => {
    test('has account_id of type string only', async (app) => {
      const { body: text } = await get(app, '/openapi.json');
      expect(text).not.toMatch(/"account_id":\{"type":"integer"/);
      expect(text).toContain('"account_id":{"type":"string","pattern":"^[!-~]{1,64}$"');
    });
  },
  shared,
);
