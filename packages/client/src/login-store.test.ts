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

const login = (accessToken = 'token', scopes = ['user']): StoredLogin => ({
  stamp: Math.random(),
  accessToken,
  refreshToken: `refresh-of-${accessToken}`,
  receivedAtMs: Date.now(),
  expiresInSeconds: 3600,
  session: { userId: 'ada', scopes, accounts: [1, 2] },
});

/** Sets the time of day, and leaves the monotonic clock alone. */
const setClock = (byMs: number) => vi.setSystemTime(Date.now() + byMs);

describe('the remaining lifetime of a token', () => {
  it('is `expires_in`, counted from when the token was received', async () => {
    const store = createLoginStore(memoryStorage());
    const received = login();
    await store.update(() => received);
    vi.advanceTimersByTime(HOUR_MS - 30_001);
    expect(store.isFresh(received)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(store.isFresh(received)).toBe(false);
    expect(store.remainingMs(received)).toBe(30_000);
  });

  it('does not change if the clock of the device is set back', async () => {
    const store = createLoginStore(memoryStorage());
    const received = login();
    await store.update(() => received);
    setClock(-24 * HOUR_MS);
    expect(store.remainingMs(received)).toBe(HOUR_MS);
    vi.advanceTimersByTime(HOUR_MS);
    expect(store.remainingMs(received)).toBe(0);
  });

  it('runs out while the device sleeps, though the monotonic clock stands still', async () => {
    const store = createLoginStore(memoryStorage());
    const received = login();
    await store.update(() => received);
    setClock(2 * HOUR_MS);
    expect(store.isFresh(received)).toBe(false);
  });

  it('keeps counting down over a reload', async () => {
    const storage = memoryStorage();
    await createLoginStore(storage).update(() => login());
    vi.advanceTimersByTime(1_000_000);
    const reloaded = createLoginStore(storage);
    const read = (await reloaded.read()) as StoredLogin;
    expect(reloaded.remainingMs(read)).toBe(HOUR_MS - 1_000_000);
  });

  it('is over after a reload if the clock was set back', async () => {
    const storage = memoryStorage();
    await createLoginStore(storage).update(() => login());
    setClock(-1000);
    const reloaded = createLoginStore(storage);
    expect(reloaded.isFresh((await reloaded.read()) as StoredLogin)).toBe(false);
  });
});

describe('the session', () => {
  it('is known at once if the storage is synchronous', async () => {
    const storage = memoryStorage();
    expect(createLoginStore(storage).session()).toBeNull();
    await createLoginStore(storage).update(() => login());
    expect(createLoginStore(storage).session()).toEqual(login().session);
  });

  it('is undefined until an asynchronous storage is read, which then notifies subscribers', async () => {
    const heard = vi.fn();
    const store = createLoginStore({ ...memoryStorage(), get: async () => null });
    store.subscribe(heard);
    expect(store.session()).toBeUndefined();
    await store.read();
    expect(store.session()).toBeNull();
    expect(heard.mock.calls).toEqual([[null]]);
  });

  it('is null if the stored value is not a login', () => {
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

describe('a login store whose storage fails', () => {
  /** One that rejects what it is told to, as a phone's does while it is locked. */
  function lockable() {
    const inner = memoryStorage();
    const locked = { get: false, set: false };
    async function unless<Result>(
      isLocked: boolean,
      work: () => Result | Promise<Result>,
    ): Promise<Result> {
      if (isLocked) throw new Error('locked');
      return work();
    }
    const storage: ClientStorage = {
      get: () => unless(locked.get, () => inner.get()),
      set: (value) => unless(locked.set, () => inner.set(value)),
      remove: () => unless(locked.set, () => inner.remove()),
    };
    return { storage, inner, locked };
  }

  it('writes the login at the next call if the first write failed', async () => {
    const { storage, inner, locked } = lockable();
    const store = createLoginStore(storage);
    await store.update(() => login('one'));
    locked.set = true;
    const second = login('two');
    expect(await store.update(() => second)).toBe(second);
    expect(inner.get()).toContain('"one"');
    locked.set = false;
    expect(await store.current()).toEqual(second);
    expect(inner.get()).toContain('"two"');
  });

  it("keeps the server's response if storage cannot be read", async () => {
    const { storage, inner, locked } = lockable();
    const store = createLoginStore(storage);
    const first = login('one');
    await store.update(() => first);
    Object.assign(locked, { get: true, set: true });
    const second = login('two');
    const changed = store.update((stored) => (stored?.stamp === first.stamp ? second : stored));
    expect(await changed).toEqual(second);
    expect(await store.current()).toEqual(second);
    Object.assign(locked, { get: false, set: false });
    await store.read();
    expect(inner.get()).toContain('"two"');
  });

  it('stores a new login even if the former one could never be read', async () => {
    const { storage, inner, locked } = lockable();
    await inner.set(JSON.stringify(login('former')));
    locked.get = true;
    locked.set = true;
    const store = createLoginStore(storage);
    await expect(store.read()).rejects.toThrow('locked');
    const next = login('next');
    await store.update(() => next);
    Object.assign(locked, { get: false, set: false });
    expect(await store.current()).toEqual(next);
    expect(inner.get()).toContain('"next"');
  });

  it('drops its unwritten login if another tab has stored one meanwhile', async () => {
    const { storage, inner, locked } = lockable();
    const store = createLoginStore(storage);
    await store.update(() => login('one'));
    locked.set = true;
    await store.update(() => login('two'));
    locked.set = false;
    const others = login('three');
    await inner.set(JSON.stringify(others));
    expect(await store.current()).toEqual(others);
  });

  it('can be created if `get` throws, and rejects when it is read', async () => {
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

it('a login stored without tokens counts as a session only in cookie mode', async () => {
  const storage = memoryStorage();
  const { accessToken, refreshToken, ...inCookies } = login();
  await storage.set(JSON.stringify(inCookies));
  expect(createLoginStore(storage).session()).toBeNull();
  expect(createLoginStore(storage, true).session()).toEqual(inCookies.session);
});

it('loginOf reads a non-ASCII user id from the access token, and rejects an opaque token', () => {
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
