import { expect, it, onTestFinished, vi } from 'vitest';
import type { Auth } from './auth.ts';
import { createAuth } from './create-auth.ts';
import { toFetchHandler } from './http/to-fetch-handler.ts';
import { bcryptScheme } from './passwords/schemes/bcrypt-scheme.ts';
import { startupOf } from './readiness/readiness-fixture.test.support.ts';
import type { Limiter } from './storage/limiter.ts';
import { memoryStorage } from './storage/memory/memory-storage.ts';

/** How long `auth.close` waits at most. */
const CLOSE_TIMEOUT_MS = 5_000;
/** The last part of that time. */
const LAST_MS = 10;
const STEPS = 5;

const nothing = async () => null;

/** An app that cannot count failed logins: by name it fails immediately, by address when `fail` is called. */
function openFailingApp() {
  const events: string[] = [];
  let fail = () => {};
  const failLater = new Promise<never>((_, reject) => {
    fail = () => reject(new Error('the pool has ended'));
  });
  const reject = () => Promise.reject(new Error('unavailable'));
  const limiter = (keyPrefix: string): Limiter => ({
    get: async () => [],
    penalty: () => (keyPrefix === 'throttle:address' ? failLater : reject()),
    penaltyWithLock: reject,
    block: nothing,
    delete: async () => false,
  });
  const auth = createAuth({
    issuer: 'https://api.example.com',
    users: { findByUsername: nothing, findById: nothing },
    passwords: { limitConcurrency: false, verifier: async () => false },
    storage: { ...memoryStorage(), limiters: ({ keyPrefix }) => limiter(keyPrefix) },
    onSecurityEvent: ({ type }) => void events.push(type),
  });
  return { auth, events, fail: () => fail() };
}

function logIn(auth: Auth) {
  const request = new Request('https://api.example.com/token', {
    method: 'POST',
    body: new URLSearchParams({ username: 'ada@example.com', password: 'correct horse' }),
  });
  return toFetchHandler(auth)(request, { remoteAddress: '192.0.2.1' });
}

it('auth.close resolves once the pending calls of a failed request have ended', async () => {
  const { auth, events, fail } = openFailingApp();
  expect((await logIn(auth))?.status).toBe(503);
  const closed = auth.close().then(() => void events.push('closed'));
  // A few turns of the event loop, in which only the counter by address delays `close`.
  for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(events).not.toContain('closed');
  fail();
  await closed;
  // One fault for the request, though two of its calls have failed.
  expect(events.filter((type) => type === 'fault' || type === 'closed')).toEqual([
    'fault',
    'closed',
  ]);
});

it('auth.close resolves once the rehash after a login has ended', async () => {
  const replaced: string[] = [];
  const user = { id: 'u1', passwordHash: `$2b$04$${'a'.repeat(53)}`, accounts: [1] };
  const auth = createAuth({
    issuer: 'https://api.example.com',
    users: {
      findByUsername: async () => user,
      findById: async () => user,
      replacePasswordHash: async (userId) => {
        replaced.push(userId);
        return true;
      },
    },
    passwords: { schemes: [bcryptScheme({ compare: async () => true })], upgradeHashes: true },
  });
  expect((await logIn(auth))?.status).toBe(200);
  expect(replaced).toEqual([]);
  await auth.close();
  expect(replaced).toEqual(['u1']);
});

it('auth.close resolves within five seconds even if a store never answers', async () => {
  const storage = memoryStorage();
  vi.spyOn(startupOf(storage), 'leave').mockReturnValue(new Promise(() => {}));
  let isStalled = false;
  const findUser = () => (isStalled ? new Promise<null>(() => {}) : nothing());
  const auth = createAuth({
    issuer: 'https://api.example.com',
    users: { findByUsername: findUser, findById: findUser },
    storage,
    throttle: false,
    onSecurityEvent: () => {},
  });
  await auth.ready();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  isStalled = true;
  let isClosed = false;
  const closed = auth.close().then(() => {
    isClosed = true;
  });
  // New requests, whose look-ups never end either, do not prolong the wait.
  for (let step = 0; step < STEPS; step += 1) {
    void logIn(auth);
    await vi.advanceTimersByTimeAsync((CLOSE_TIMEOUT_MS - LAST_MS) / STEPS);
  }
  expect(isClosed).toBe(false);
  await vi.advanceTimersByTimeAsync(LAST_MS);
  expect(isClosed).toBe(true);
  await closed;
});
