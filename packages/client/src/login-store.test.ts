import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ClientStorage, memoryStorage } from './client-storage.ts';
import { createLoginStore } from './login-store.ts';
import { loginOf, type StoredLogin } from './stored-login.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;
const TEN_MINUTES_MS = 600_000;
const REFRESH_AHEAD_MS = 30_000;

const login = (accessToken = 'token', scopes = ['user']): StoredLogin => ({
  stamp: Math.random(),
  accessToken,
  refreshToken: `refresh-of-${accessToken}`,
  receivedAtMs: Date.now(),
  expiresInSeconds: 3600,
  session: { userId: 'ada', scopes, accounts: [1, 2] },
});

/** Sets the wall clock, and not the monotonic clock. */
const moveWallClock = (byMs: number) => vi.setSystemTime(Date.now() + byMs);

describe('the remaining lifetime of an access token', () => {
  it('begins at `expires_in`, and requires a refresh from half a minute before its end', async () => {
    const store = createLoginStore(memoryStorage());
    const received = login();
    await store.update(() => received);
    vi.advanceTimersByTime(HOUR_MS - REFRESH_AHEAD_MS - 1);
    expect(store.needsRefresh(received)).toBe(false);
    vi.advanceTimersByTime(1);
    expect(store.needsRefresh(received)).toBe(true);
    expect(store.remainingMs(received)).toBe(REFRESH_AHEAD_MS);
  });

  it('does not change if the wall clock is set back', async () => {
    const store = createLoginStore(memoryStorage());
    const received = login();
    await store.update(() => received);
    moveWallClock(-24 * HOUR_MS);
    expect(store.remainingMs(received)).toBe(HOUR_MS);
    vi.advanceTimersByTime(HOUR_MS);
    expect(store.remainingMs(received)).toBe(0);
  });

  it('decreases while the device sleeps and the monotonic clock is stopped', async () => {
    const store = createLoginStore(memoryStorage());
    const received = login();
    await store.update(() => received);
    moveWallClock(2 * HOUR_MS);
    expect(store.needsRefresh(received)).toBe(true);
  });

  it('requires a refresh if the server has not sent `expires_in`', async () => {
    const store = createLoginStore(memoryStorage());
    const received = { ...login(), expiresInSeconds: Number.NaN };
    await store.update(() => received);
    expect(store.needsRefresh(received)).toBe(true);
  });

  it('decreases across a reload', async () => {
    const storage = memoryStorage();
    await createLoginStore(storage).update(() => login());
    vi.advanceTimersByTime(TEN_MINUTES_MS);
    const reloaded = createLoginStore(storage);
    const storedLogin = (await reloaded.read()) as StoredLogin;
    expect(reloaded.remainingMs(storedLogin)).toBe(HOUR_MS - TEN_MINUTES_MS);
  });

  it('has passed after a reload if the wall clock was set back', async () => {
    const storage = memoryStorage();
    await createLoginStore(storage).update(() => login());
    moveWallClock(-1000);
    const reloaded = createLoginStore(storage);
    const storedLogin = (await reloaded.read()) as StoredLogin;
    expect(reloaded.remainingMs(storedLogin)).toBeLessThanOrEqual(0);
  });
});

describe('the session of a login store', () => {
  it('is known immediately if the storage is synchronous', async () => {
    const storage = memoryStorage();
    expect(createLoginStore(storage).session()).toBeNull();
    await createLoginStore(storage).update(() => login());
    expect(createLoginStore(storage).session()).toEqual(login().session);
  });

  it('is undefined until an asynchronous storage is read', async () => {
    const listener = vi.fn();
    const store = createLoginStore({ ...memoryStorage(), get: async () => null });
    store.subscribe(listener);
    expect(store.session()).toBeUndefined();
    await store.read();
    expect(store.session()).toBeNull();
    expect(listener.mock.calls).toEqual([[null]]);
  });

  it('is null if the stored value is not a login', () => {
    for (const value of ['', '{', '{}', '"text"', '[1]', '7']) {
      const store = createLoginStore({ ...memoryStorage(), get: () => value });
      expect(store.session()).toBeNull();
    }
  });

  it('stays the same object, and causes no notification, if only the tokens change', async () => {
    const store = createLoginStore(memoryStorage());
    const listener = vi.fn();
    await store.update(() => login('one'));
    const session = store.session();
    store.subscribe(listener);
    await store.update(() => login('two'));
    expect(store.session()).toBe(session);
    expect(listener).not.toHaveBeenCalled();
  });

  it('is reported to a listener when it changes, until the listener is unsubscribed', async () => {
    const store = createLoginStore(memoryStorage());
    const listener = vi.fn();
    const unsubscribe = store.subscribe(listener);
    await store.update(() => login('one', []));
    expect(listener.mock.calls).toEqual([[{ userId: 'ada', scopes: [], accounts: [1, 2] }]]);
    unsubscribe();
    await store.update(() => null);
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('is not reported to a listener that another listener unsubscribes', async () => {
    const store = createLoginStore(memoryStorage());
    const later = vi.fn();
    let unsubscribeLater = (): void => {};
    store.subscribe(() => unsubscribeLater());
    unsubscribeLater = store.subscribe(later);
    await store.update(() => login());
    expect(later).not.toHaveBeenCalled();
  });
});

describe('a login store whose storage fails', () => {
  /** A storage whose reads or writes can be made to fail, as the Keychain of a phone does while the phone is locked. */
  function lockableStorage() {
    const inner = memoryStorage();
    const locked = { get: false, set: false };
    async function rejectIf<Result>(
      isLocked: boolean,
      work: () => Result | Promise<Result>,
    ): Promise<Result> {
      if (isLocked) throw new Error('locked');
      return work();
    }
    const storage: ClientStorage = {
      get: () => rejectIf(locked.get, () => inner.get()),
      set: (value) => rejectIf(locked.set, () => inner.set(value)),
      remove: () => rejectIf(locked.set, () => inner.remove()),
    };
    return { storage, inner, locked };
  }

  it('writes the login at the next call if the first write failed', async () => {
    const { storage, inner, locked } = lockableStorage();
    const store = createLoginStore(storage);
    await store.update(() => login('one'));
    locked.set = true;
    const newLogin = login('two');
    expect(await store.update(() => newLogin)).toBe(newLogin);
    expect(inner.get()).toContain('"one"');
    locked.set = false;
    expect(await store.current()).toEqual(newLogin);
    expect(inner.get()).toContain('"two"');
  });

  it('keeps the new login of a refresh if the storage can be neither read nor written', async () => {
    const { storage, inner, locked } = lockableStorage();
    const store = createLoginStore(storage);
    const oldLogin = login('one');
    await store.update(() => oldLogin);
    Object.assign(locked, { get: true, set: true });
    const newLogin = login('two');
    const updatedLogin = store.update((stored) =>
      stored?.stamp === oldLogin.stamp ? newLogin : stored,
    );
    expect(await updatedLogin).toEqual(newLogin);
    expect(await store.current()).toEqual(newLogin);
    Object.assign(locked, { get: false, set: false });
    await store.read();
    expect(inner.get()).toContain('"two"');
  });

  it('stores a new login even if the stored login could never be read', async () => {
    const { storage, inner, locked } = lockableStorage();
    await inner.set(JSON.stringify(login('former')));
    locked.get = true;
    locked.set = true;
    const store = createLoginStore(storage);
    await expect(store.read()).rejects.toThrow('locked');
    const newLogin = login('next');
    await store.update(() => newLogin);
    Object.assign(locked, { get: false, set: false });
    expect(await store.current()).toEqual(newLogin);
    expect(inner.get()).toContain('"next"');
  });

  it('drops its unwritten login if another tab has stored a login since the failed write', async () => {
    const { storage, inner, locked } = lockableStorage();
    const store = createLoginStore(storage);
    await store.update(() => login('one'));
    locked.set = true;
    await store.update(() => login('two'));
    locked.set = false;
    const loginOfOtherTab = login('three');
    await inner.set(JSON.stringify(loginOfOtherTab));
    expect(await store.current()).toEqual(loginOfOtherTab);
  });

  it('rejects reads if `get` of the storage throws synchronously', async () => {
    const store = createLoginStore({
      ...memoryStorage(),
      get: () => {
        throw new Error('locked');
      },
    });
    expect(store.session()).toBeUndefined();
    await expect(store.read()).rejects.toThrow('locked');
  });
});

it('a stored login without tokens is a session only in cookie mode', async () => {
  const storage = memoryStorage();
  const { accessToken, refreshToken, ...inCookies } = login();
  await storage.set(JSON.stringify(inCookies));
  expect(createLoginStore(storage).session()).toBeNull();
  expect(createLoginStore(storage, true).session()).toEqual(inCookies.session);
});

it('loginOf reads a non-ASCII user id from a JWT access token but throws for an opaque token', () => {
  const payload = Buffer.from(JSON.stringify({ sub: 'jörg-名前~🙂' })).toString('base64url');
  const response = {
    access_token: `e.${payload}.s`,
    refresh_token: 'r',
    expires_in: 1,
    scope: 'user',
    accounts: [],
  };
  expect(loginOf(response).session.userId).toBe('jörg-名前~🙂');
  expect(() => loginOf({ ...response, access_token: 'opaque' })).toThrow(
    expect.objectContaining({ code: 'invalid_answer' }),
  );
});
