import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStorage } from './client-storage.ts';
import { createLoginStore } from './login-store.ts';
import { loginOf, type StoredLogin } from './stored-login.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;

const login = (accessToken = 'token', scopes = ['user']): StoredLogin => ({
  accessToken,
  refreshToken: `refresh-of-${accessToken}`,
  receivedAtMs: Date.now(),
  expiresInSeconds: 3600,
  session: { userId: 'ada', scopes, accounts: [1, 2] },
});

/** Sets the time of day, and leaves the monotonic clock alone. */
const setClock = (byMs: number) => vi.setSystemTime(Date.now() + byMs);

describe('how long a token is good for', () => {
  it('is what the server said, from when it was received', async () => {
    const store = createLoginStore(memoryStorage());
    const received = login();
    await store.update(() => received);
    vi.advanceTimersByTime(HOUR_MS - 30_001);
    expect(store.isFresh(received)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(store.isFresh(received)).toBe(false);
    expect(store.remainingMs(received)).toBe(30_000);
  });

  it('does not change where the clock of the device is set back', async () => {
    const store = createLoginStore(memoryStorage());
    const received = login();
    await store.update(() => received);
    setClock(-24 * HOUR_MS);
    expect(store.remainingMs(received)).toBe(HOUR_MS);
    vi.advanceTimersByTime(HOUR_MS);
    expect(store.remainingMs(received)).toBe(0);
  });

  it('is over after a sleep that the monotonic clock has not counted', async () => {
    const store = createLoginStore(memoryStorage());
    const received = login();
    await store.update(() => received);
    setClock(2 * HOUR_MS);
    expect(store.isFresh(received)).toBe(false);
  });

  it('goes on over a reload', async () => {
    const storage = memoryStorage();
    await createLoginStore(storage).update(() => login());
    vi.advanceTimersByTime(1_000_000);
    const reloaded = createLoginStore(storage);
    const read = (await reloaded.read()) as StoredLogin;
    expect(reloaded.remainingMs(read)).toBe(HOUR_MS - 1_000_000);
  });

  it('is unknown after a reload with a clock that was set back, and so is over', async () => {
    const storage = memoryStorage();
    await createLoginStore(storage).update(() => login());
    setClock(-1000);
    const reloaded = createLoginStore(storage);
    expect(reloaded.isFresh((await reloaded.read()) as StoredLogin)).toBe(false);
  });
});

describe('the session', () => {
  it('is known at once where the storage is', async () => {
    const storage = memoryStorage();
    expect(createLoginStore(storage).session()).toBeNull();
    await createLoginStore(storage).update(() => login());
    expect(createLoginStore(storage).session()).toEqual(login().session);
  });

  it('is undefined until a slower storage has answered, and then an event', async () => {
    const heard = vi.fn();
    const store = createLoginStore({ ...memoryStorage(), get: async () => null });
    store.subscribe(heard);
    expect(store.session()).toBeUndefined();
    await store.read();
    expect(store.session()).toBeNull();
    expect(heard.mock.calls).toEqual([[null]]);
  });

  it('is null where something else is stored under the key', () => {
    for (const value of ['', '{', '{}', '"text"', '[1]', '7']) {
      const store = createLoginStore({ ...memoryStorage(), get: () => value });
      expect(store.session()).toBeNull();
    }
  });

  it('stays the same object, without events, while only the tokens change', async () => {
    const store = createLoginStore(memoryStorage());
    const heard = vi.fn();
    await store.update(() => login('one'));
    const before = store.session();
    const unsubscribe = store.subscribe(heard);
    await store.update(() => login('two'));
    expect(store.session()).toBe(before);
    expect(heard).not.toHaveBeenCalled();

    await store.update(() => login('three', []));
    expect(heard.mock.calls).toEqual([[{ userId: 'ada', scopes: [], accounts: [1, 2] }]]);
    unsubscribe();
    await store.update(() => null);
    expect(heard).toHaveBeenCalledTimes(1);
  });
});

it('reads the user id out of the token, whatever its characters', () => {
  const payload = Buffer.from(JSON.stringify({ sub: 'jörg-名前~🙂' })).toString('base64url');
  const answer = {
    access_token: `e.${payload}.s`,
    refresh_token: 'r',
    expires_in: 1,
    scope: 'user',
    accounts: [],
  };
  expect(loginOf(answer).session.userId).toBe('jörg-名前~🙂');
  expect(() => loginOf({ ...answer, access_token: 'opaque' })).toThrow(
    expect.objectContaining({ code: 'invalid_answer' }),
  );
});
