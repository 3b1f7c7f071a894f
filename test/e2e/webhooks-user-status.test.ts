import { expect, onTestFinished } from 'vitest';
import type { HttpResponse } from '../hosts/send-request.ts';
import type { TestApp } from '../support/apps/test-app.ts';
import { makePat, managerOf } from '../support/clients/pat-calls.ts';
import { errorOf } from '../support/clients/token-calls.ts';
import { callsOf, callsWith, register, type UserCalls } from '../support/clients/webhook-calls.ts';
import { operationsOn, sendAll } from '../support/clients/webhook-operations.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { type UserStoreSwitch, userStoreSwitch } from '../support/storage/user-store-switch.ts';

const shared = { auth: { webhooks: { worker: handDelivery() } } };

const userStore = userStoreSwitch();

function userStoreIs(mode: UserStoreSwitch['mode']): void {
  userStore.mode = mode;
  onTestFinished(() => {
    userStore.mode = 'up';
  });
}

/**
 * Operations that check the token more than once, with the number of checks: again before a change that cannot be
 * undone, or after a change whose response has a secret.
 */
const CHECKS: Readonly<Record<string, number>> = {
  'POST /webhooks': 2,
  'POST /webhooks/wh/secret': 3,
  'PATCH /webhooks/wh': 2,
  'DELETE /webhooks/wh': 2,
  'POST /webhooks/wh/enable': 2,
};

/** The webhooks of an account, and all events about webhooks. */
async function stateOf(app: TestApp, account = 1) {
  const list = await app.cellStorage.storage.webhooks?.list(account, { limit: 100, after: null });
  return { list, events: app.events.filter(({ type }) => type.startsWith('webhook.')) };
}

/** The response to a client without a valid token. */
async function badToken(app: TestApp): Promise<Pick<HttpResponse, 'status' | 'body'>> {
  return seenByClient(await callsWith(app, 'x.y.z').send('GET', '/webhooks'));
}

function seenByClient({ status, body, headers }: HttpResponse) {
  return { status, body, challenge: headers['www-authenticate'] };
}

/** Expects every request to be rejected like one with an invalid token, without an effect. */
async function expectNobody(app: TestApp, calls: UserCalls, id: string): Promise<void> {
  const before = await stateOf(app);
  const expected = await badToken(app);
  for (const query of ['', '?account_id=1', '?account_id=x']) {
    for (const response of await sendAll(calls, operationsOn(id, query))) {
      expect(seenByClient(response)).toEqual(expected);
    }
  }
  // The token is checked before the body.
  expect(seenByClient(await calls.send('POST', '/webhooks', '{'))).toEqual(expected);
  expect(await stateOf(app)).toEqual(before);
}

inEveryCell(
  'the webhook routes for a token issued before a change of the user',
  (test) => {
    test('reject the token like an invalid one once the user is disabled, to the byte', async (app) => {
      const calls = await callsOf(app, 'ada', { expiration_seconds: 86_400 });
      const personal = callsWith(app, (await makePat(await managerOf(app))).token);
      const { id } = await register(calls);
      app.users.change('ada', { disabled: true });
      await expectNobody(app, calls, id);
      await expectNobody(app, personal, id);
      app.users.change('ada', { disabled: false });
      expect((await calls.send('GET', `/webhooks/${id}`)).status).toBe(200);
    });

    test('reject the token once the user is deleted', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      userStoreIs('empty');
      await expectNobody(app, calls, id);
    });

    test('reject the token once the password was changed', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      app.clock.advance(1000);
      app.users.change('ada', { passwordChangedAtMs: app.clock.nowMs() });
      await expectNobody(app, calls, id);
      const { id: own } = await register(await callsOf(app));
      expect(own).not.toBe(id);
    });

    test('respond with 403 for an account that the user has lost, and serve the others', async (app) => {
      const free = await callsOf(app);
      const bound = await callsOf(app, 'ada', { account_id: 1 });
      const { id } = await register(free);
      const before = await stateOf(app);
      app.users.change('ada', { accounts: [2] });
      for (const [calls, query] of [
        [free, '?account_id=1'],
        [bound, ''],
        [bound, '?account_id=1'],
        [bound, '?account_id=2'],
      ] as const) {
        for (const response of await sendAll(calls, operationsOn(id, query))) {
          expect(errorOf(response, 403).error).toBe('access_denied');
          expect(response.headers['www-authenticate']).toBe('Bearer error="insufficient_scope"');
        }
      }
      expect(await stateOf(app)).toEqual(before);
      expect((await register(free)).account_id).toBe(2);
      app.users.change('ada', { accounts: [] });
      const [response] = await sendAll(free, operationsOn(id));
      expect(response && errorOf(response, 403).error).toBe('access_denied');
    });

    test('respond with 503 and have no effect while the user store is unavailable', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      const before = await stateOf(app);
      userStoreIs('down');
      for (const response of await sendAll(calls, operationsOn(id))) {
        expect(errorOf(response, 503).error).toBe('temporarily_unavailable');
        expect(response.headers['retry-after']).toBe('1');
      }
      expect(await stateOf(app)).toEqual(before);
      expect(app.events.at(-1)).toMatchObject({ type: 'fault', where: 'user_store' });
      userStore.mode = 'up';
      expect((await calls.send('GET', `/webhooks/${id}`)).status).toBe(200);
    });

    test('look up the user once for each check of the token', async (app) => {
      const calls = await callsOf(app);
      const personal = callsWith(app, (await makePat(await managerOf(app))).token);
      const costOf = async (by: UserCalls, nth: number) => {
        const { id } = await register(calls);
        userStore.asked.splice(0);
        await sendAll(by, operationsOn(id).slice(nth, nth + 1));
        return userStore.asked.splice(0);
      };
      for (const [nth, { method, path }] of operationsOn('wh').entries()) {
        expect(await costOf(calls, nth)).toEqual(['ada']);
        const checks = CHECKS[`${method} ${path}`] ?? 1;
        expect(await costOf(personal, nth)).toEqual(Array(checks).fill('ada'));
      }
      await badToken(app);
      expect(userStore.asked).toEqual([]);
    });
  },
  { ...shared, userStore: userStore.wrap },
);
