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
});

describe('a storage or user store that never responds', () => {
  it('causes a 503 within two seconds', async () => {
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
