import type { UserStore } from '@latchhook/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpResponse } from '../hosts/send-request.ts';
import { startTestApp, type TestApp } from '../support/apps/test-app.ts';
import { expectErrorBody } from '../support/clients/expect-error.ts';
import {
  answerChallenge,
  errorOf,
  logIn,
  pendingChallenge,
  putJson,
  refresh,
  revoke,
  session,
  totp,
} from '../support/clients/token-calls.ts';
import type { TestUsers } from '../support/clients/users.ts';
import { isHere } from '../support/storage/cell-storage.ts';
import { CELLS, inEveryCell } from '../support/storage/in-every-cell.ts';
import { type StorageMode, storageSwitch } from '../support/storage/storage-switch.ts';
import { within } from '../support/time/own-time.ts';
import { GRACE_MS, SECOND_MS } from '../support/time/policy-times.ts';

const storage = storageSwitch();

function storageIs(mode: StorageMode): void {
  storage.mode = mode;
  onTestFinished(() => {
    storage.mode = 'up';
  });
}

function expectUnavailable(response: HttpResponse): void {
  expect(errorOf(response, 503).error).toBe('temporarily_unavailable');
  expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expectErrorBody(response);
}

/** One request of each kind that needs the storage. */
async function requestsOf(app: TestApp): Promise<readonly (() => Promise<HttpResponse>)[]> {
  const { refresh_token, access_token } = await session(app);
  const challenge = await pendingChallenge(app);
  return [
    () => logIn(app, 'ada'),
    () => logIn(app, 'grace'),
    () => refresh(app, refresh_token),
    () => putJson(app, '/token', { refresh_token }),
    () => answerChallenge(app, challenge, { code: totp(app) }),
    () => revoke(app, refresh_token),
    () => revoke(app, access_token),
  ];
}

inEveryCell(
  'requests while the storage fails',
  (test) => {
    test('get 503, revocation included, and succeed once it is back', async (app) => {
      const requests = await requestsOf(app);
      storageIs('down');
      for (const request of requests) expectUnavailable(await request());
      storage.mode = 'up';
      const statuses: number[] = [];
      for (const request of requests) statuses.push((await request()).status);
      expect(statuses).toEqual([200, 401, 200, 200, 200, 200, 200]);
      expect(app.events.filter(({ type }) => type === 'fault')).toHaveLength(7);
    });
  },
  { wrapStorage: storage.wrap },
);

function failing(users: TestUsers, fail: () => Promise<never>): UserStore {
  return { ...users, findByUsername: fail, findById: fail };
}

inEveryCell('requests while the user store fails', (test) => {
  test(
    'get 503',
    async (app) => {
      expectUnavailable(await logIn(app, 'ada'));
    },
    { userStore: (users) => failing(users, () => Promise.reject(new Error('no database'))) },
  );

  test(
    'get 503 if it synchronously throws a string',
    async (app) => {
      expectUnavailable(await logIn(app, 'ada'));
    },
    {
      userStore: (users) =>
        failing(users, () => {
          throw 'no database';
        }),
    },
  );

  test(
    'get 503 at a refresh, which does not consume the token',
    async (app) => {
      const { refresh_token } = await session(app);
      userStoreIsDown = true;
      expectUnavailable(await refresh(app, refresh_token));
      userStoreIsDown = false;
      app.clock.advance(GRACE_MS + SECOND_MS);
      expect((await refresh(app, refresh_token)).status).toBe(200);
    },
    {
      userStore: (users) => ({
        ...users,
        findById: (userId) =>
          userStoreIsDown ? Promise.reject(new Error('no database')) : users.findById(userId),
      }),
    },
  );

  test('get 503 after the right password if the factor is malformed', async (app) => {
    const challenge = await pendingChallenge(app);
    const { refresh_token } = await session(app);
    for (const mfa of [{ totpSecret: 'not base32 !' }, { totpSecret: 'GEZD GNBV' }]) {
      app.users.change('grace', { mfa });
      expectUnavailable(await answerChallenge(app, challenge, { code: '123456' }));
      expectUnavailable(await logIn(app, 'grace'));
      const faults = app.events.slice(-2);
      expect(faults).toMatchObject([
        { type: 'fault', where: 'user_store' },
        { type: 'fault', where: 'user_store' },
      ]);
      for (const fault of faults) {
        if (fault.type !== 'fault') continue;
        expect(String(fault.error)).toContain('`mfa.totpSecret` of the user "grace"');
        expect(String(fault.error)).not.toContain(mfa.totpSecret);
      }
      // With a wrong password, the response is that of any user.
      const [wrong, others] = [
        await logIn(app, 'grace', { password: 'wrong' }),
        await logIn(app, 'nobody', { password: 'wrong' }),
      ];
      expect([wrong.status, wrong.body]).toEqual([400, others.body]);
      expect(await app.auth.sessions.list('grace')).toEqual([]);
    }
    app.users.change('ada', { mfa: { totpSecret: 'not base32 !' } });
    // A refresh needs no factor.
    expect((await refresh(app, refresh_token)).status).toBe(200);
  });
});

let userStoreIsDown = false;

describe('a storage or user store that never answers', () => {
  it('gives 503 within two seconds', async () => {
    const silentStorage = storageSwitch();
    const silentUsers = (users: TestUsers) => failing(users, () => new Promise(() => {}));
    const cells = CELLS.filter(({ storage }) => isHere(storage));
    const withSilentStorage = await Promise.all(
      cells.map((cell) => startTestApp(cell, { wrapStorage: silentStorage.wrap })),
    );
    const withSilentUsers = await Promise.all(
      cells.map((cell) => startTestApp(cell, { userStore: silentUsers })),
    );
    onTestFinished(() => {
      for (const app of [...withSilentStorage, ...withSilentUsers]) app.stop();
    });
    const requests = (await Promise.all(withSilentStorage.map(requestsOf))).flat();
    silentStorage.mode = 'silent';

    const pendingResponses = [
      ...requests.map((request) => request()),
      ...withSilentUsers.map((app) => logIn(app, 'ada')),
    ];
    const responses = await within(2_000, Promise.all(pendingResponses));
    for (const response of responses) expectUnavailable(response);
  });
});

inEveryCell(
  'more logins than the server can hash',
  (test) => {
    test('get 503 immediately, while the remaining logins succeed', async (app) => {
      const logins = Array.from({ length: 60 }, () => logIn(app, 'ada'));
      const responses = await within(5_000, Promise.all(logins));
      const shed = responses.filter(({ status }) => status === 503);
      expect(shed.length).toBeGreaterThan(0);
      for (const response of shed) expectUnavailable(response);
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(60 - shed.length);
      expect(60 - shed.length).toBeGreaterThan(0);
      // The number of accepted logins depends on the machine.
      app.clearTranscript();
    });
  },
  { passwords: { concurrency: 1, maxWaitMs: 100 } },
);
