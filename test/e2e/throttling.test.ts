import { expect } from 'vitest';
import type { HttpResponse } from '../hosts/send-request.ts';
import type { TestApp } from '../support/apps/test-app.ts';
import {
  answerChallenge,
  errorOf,
  type Fields,
  JSON_TYPE,
  logIn,
  pendingChallenge,
  refresh,
  session,
  totp,
} from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

async function fail(app: TestApp, user: string, times: number, fields: Fields = {}): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const response = await logIn(app, user, { password: 'wrong', ...fields });
    expect(errorOf(response).error).toBe('invalid_grant');
  }
}

function expectThrottled(response: HttpResponse, [least, most]: readonly [number, number]): void {
  expect(errorOf(response, 429).error).toBe('too_many_requests');
  const seconds = Number(response.headers['retry-after']);
  expect(seconds).toBeGreaterThanOrEqual(least);
  expect(seconds).toBeLessThanOrEqual(most);
}

const THROTTLED = { auth: { throttle: {} } } as const;

inEveryCell(
  'throttling of logins',
  (test) => {
    test('locks one username for a minute after ten failures, known or not, with the same response', async (app) => {
      await fail(app, 'nobody', 10);
      const unknown = await logIn(app, 'nobody');
      expectThrottled(unknown, [50, 60]);
      await fail(app, 'alan', 10);
      expect((await logIn(app, 'alan')).body).toBe(unknown.body);
      expect((await logIn(app, 'ada')).status).toBe(200);
    });

    test('counts from zero after a success', async (app) => {
      await fail(app, 'ada', 9);
      expect((await logIn(app, 'ada')).status).toBe(200);
      await fail(app, 'ada', 9);
      expect((await logIn(app, 'ada')).status).toBe(200);
    });

    test('does not count rejected requests with the right password', async (app) => {
      for (let time = 0; time < 15; time += 1) {
        expect((await logIn(app, 'ada')).status).toBe(200);
        expect((await logIn(app, 'ada', { scopes: 'x' })).status).toBe(400);
        expect((await logIn(app, 'ada', { account_id: 9 })).status).toBe(403);
        expect((await logIn(app, 'alan', { scopes: 'admin' })).status).toBe(400);
        expect((await logIn(app, 'alan', { password: '' })).status).toBe(400);
      }
      expect((await logIn(app, 'alan')).status).toBe(200);
    });
  },
  THROTTLED,
);

inEveryCell('the options of login throttling', (test) => {
  test(
    'set the number of failures and the duration of the lock',
    async (app) => {
      await fail(app, 'ada', 3);
      expectThrottled(await logIn(app, 'ada'), [200, 300]);
    },
    { auth: { throttle: { identifierFailures: 3, lockSeconds: 300 } } },
  );

  test(
    'set the number of failures of an address and their window',
    async (app) => {
      await fail(app, 'ada', 2);
      await fail(app, 'alan', 2);
      expectThrottled(await logIn(app, 'grace'), [3000, 3600]);
    },
    { auth: { throttle: { addressFailures: 4, addressWindowSeconds: 3600 } } },
  );

  test(
    'apply to the address of the connection, whatever headers name, and only to logins',
    async (app) => {
      const { refresh_token } = await session(app);
      const challenge = await pendingChallenge(app);
      const statuses: number[] = [];
      for (let time = 0; time < 5; time += 1) {
        const body = JSON.stringify({ username: `user${time}@example.com`, password: 'wrong' });
        const forged = ['x-forwarded-for', `192.0.2.${time}`, 'forwarded', `for=192.0.2.${time}`];
        const headers = [...JSON_TYPE, ...forged, 'x-real-ip', `192.0.2.${time}`];
        const response = await app.send({ method: 'POST', path: '/token', headers, body });
        statuses.push(response.status);
      }
      expect(statuses).toEqual([400, 400, 400, 400, 429]);
      expect((await refresh(app, refresh_token)).status).toBe(200);
      expect((await answerChallenge(app, challenge, { code: totp(app) })).status).toBe(200);
    },
    { auth: { throttle: { addressFailures: 4 } } },
  );

  test(
    'turn throttling off',
    async (app) => {
      await fail(app, 'ada', 30);
      expect((await logIn(app, 'ada')).status).toBe(200);
    },
    { auth: { throttle: false } },
  );
});
