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
  postJson,
  refresh,
  session,
  totp,
} from '../support/clients/token-calls.ts';
import { TEST_PASSWORD } from '../support/clients/users.ts';
import { clockedLimiters } from '../support/storage/clocked-limiters.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

async function fail(app: TestApp, user: string, times: number, fields: Fields = {}): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const response = await logIn(app, user, { password: 'wrong', ...fields });
    expect(errorOf(response).error).toBe('invalid_grant');
  }
}

function expectClosed(response: HttpResponse, [least, most]: readonly [number, number]): void {
  expect(errorOf(response, 429).error).toBe('too_many_requests');
  const seconds = Number(response.headers['retry-after']);
  expect(seconds).toBeGreaterThanOrEqual(least);
  expect(seconds).toBeLessThanOrEqual(most);
}

const THROTTLED = { auth: { throttle: {} } } as const;

inEveryCell(
  'throttling of logins',
  (test) => {
    test('locks a username for a minute after ten failures in a row', async (app) => {
      await fail(app, 'ada', 10);
      expectClosed(await logIn(app, 'ada', { password: 'wrong' }), [50, 60]);
      expectClosed(await logIn(app, 'ada'), [50, 60]);
    });

    test('locks an unknown username with the same response', async (app) => {
      await fail(app, 'nobody', 10);
      const unknown = await logIn(app, 'nobody');
      expectClosed(unknown, [50, 60]);
      await fail(app, 'alan', 10);
      expect((await logIn(app, 'alan')).body).toBe(unknown.body);
    });

    test('locks no username for the failures of another', async (app) => {
      await fail(app, 'ada', 10);
      expect((await logIn(app, 'alan')).status).toBe(200);
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

    test('counts all spellings of a username together', async (app) => {
      const username = 'kate@example.com';
      await fail(app, '', 5, { username });
      await fail(app, '', 5, { username: '\u212aATE@EXAMPLE.com' });
      expectClosed(await logIn(app, '', { username }), [50, 60]);
    });

    test('blocks an address for the rest of ten minutes after a hundred failures', async (app) => {
      for (let user = 0; user < 20; user += 1) await fail(app, `user${user}`, 5);
      expectClosed(await logIn(app, 'ada'), [500, 600]);
    });

    test('ignores forwarded headers without a trusted proxy', async (app) => {
      const responses: number[] = [];
      for (let time = 0; time < 105; time += 1) {
        const body = JSON.stringify({ username: `user${time}@example.com`, password: 'wrong' });
        const forged = ['x-forwarded-for', `192.0.2.${time}`, 'forwarded', `for=192.0.2.${time}`];
        const headers = [...JSON_TYPE, ...forged, 'x-real-ip', `192.0.2.${time}`];
        const response = await app.send({ method: 'POST', path: '/token', headers, body });
        responses.push(response.status);
      }
      expect(responses.filter((status) => status === 400)).toHaveLength(100);
      expect(responses.slice(100)).toEqual([429, 429, 429, 429, 429]);
    });

    test('does not affect refreshes and challenges', async (app) => {
      const { refresh_token } = await session(app);
      const challenge = await pendingChallenge(app);
      for (let user = 0; user < 20; user += 1) await fail(app, `user${user}`, 5);
      expect((await refresh(app, refresh_token)).status).toBe(200);
      expect((await answerChallenge(app, challenge, { code: totp(app) })).status).toBe(200);
    });
  },
  THROTTLED,
);

inEveryCell(
  'throttling of parallel guesses',
  (test) => {
    test('checks ten of twenty parallel guesses', async (app) => {
      const guesses = Array.from({ length: 20 }, () => logIn(app, 'ada', { password: 'wrong' }));
      const statuses = (await Promise.all(guesses)).map(({ status }) => status);
      const checked = statuses.filter((status) => status === 400).length;
      expect(checked).toBe(10);
      expect((await logIn(app, 'ada')).status).toBe(429);
      app.clearTranscript();
    });
  },
  { ...THROTTLED, passwords: { concurrency: 2 } },
);

inEveryCell('the options of login throttling', (test) => {
  test(
    'set the number of failures and the duration of the lock',
    async (app) => {
      await fail(app, 'ada', 3);
      expectClosed(await logIn(app, 'ada'), [200, 300]);
    },
    { auth: { throttle: { identifierFailures: 3, lockSeconds: 300 } } },
  );

  test(
    'set the failures and the window of an address',
    async (app) => {
      await fail(app, 'ada', 2);
      await fail(app, 'alan', 2);
      expectClosed(await logIn(app, 'grace'), [3000, 3600]);
    },
    { auth: { throttle: { addressFailures: 4, addressWindowSeconds: 3600 } } },
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

inEveryCell('throttling of logins over time', (test) => {
  test(
    'doubles the lock each time, up to 15 minutes',
    async (app) => {
      const locks: number[] = [];
      for (let round = 0; round < 6; round += 1) {
        await fail(app, 'ada', 10);
        const { headers } = await logIn(app, 'ada');
        const seconds = Number(headers['retry-after']);
        locks.push(seconds);
        app.clock.advance(seconds * 1000 - 1);
        expectClosed(await logIn(app, 'ada'), [1, 1]);
        app.clock.advance(1);
      }
      expect(locks).toEqual([60, 120, 240, 480, 900, 900]);
      expect((await logIn(app, 'ada')).status).toBe(200);
      await fail(app, 'ada', 10);
      expect((await logIn(app, 'ada')).headers['retry-after']).toBe('60');
    },
    {
      auth: { throttle: { addressFailures: 1000 } },
      wrapStorage: (storage, clock) => ({ ...storage, limiters: clockedLimiters(clock) }),
    },
  );

  test(
    'unblocks an address when its window ends',
    async (app) => {
      for (let user = 0; user < 20; user += 1) await fail(app, `user${user}`, 5);
      app.clock.advance(599_000);
      const body = { username: 'ada@example.com', password: TEST_PASSWORD };
      expectClosed(await postJson(app, '/token', body), [1, 1]);
      app.clock.advance(1000);
      expect((await postJson(app, '/token', body)).status).toBe(200);
    },
    {
      auth: { throttle: {} },
      wrapStorage: (storage, clock) => ({ ...storage, limiters: clockedLimiters(clock) }),
    },
  );
});
