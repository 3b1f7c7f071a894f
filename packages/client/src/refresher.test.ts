import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClientError } from './client-error.ts';
import { type ClientStorage, memoryStorage } from './client-storage.ts';
import { createLoginStore } from './login-store.ts';
import { createRefresher } from './refresher.ts';
import type { StoredLogin, TokenAnswer } from './stored-login.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const tokensOf = (generation: number) => ({
  access_token: `.${btoa(JSON.stringify({ sub: 'ada', generation }))}.`,
  refresh_token: `refresh-${generation}`,
  expires_in: 3600,
  scope: 'user',
  accounts: [1],
});

const loginNow = (generation: number): StoredLogin => {
  const { access_token, refresh_token, expires_in } = tokensOf(generation);
  return {
    stamp: generation,
    accessToken: access_token,
    refreshToken: refresh_token,
    receivedAtMs: Date.now(),
    expiresInSeconds: expires_in,
    session: { userId: 'ada', scopes: ['user'], accounts: [1] },
  };
};

const rejection = (code: string, status?: number, retryAfterSeconds?: number) =>
  new ClientError(code, { code, status, retryAfterSeconds });

/** A refresher whose storage holds the first generation, and a server that answers as it is told. */
async function fixture(storage: ClientStorage = memoryStorage()) {
  const store = createLoginStore(storage);
  const login = loginNow(1);
  await store.update(() => login);
  const ask = vi.fn<(path: string, body: object) => Promise<TokenAnswer>>();
  const refresh = createRefresher({ store, ask, exclusively: (work) => work(() => {}) });
  return { store, login, ask, refresh: () => refresh(login.stamp) };
}

describe('a refresh', () => {
  it('sends one request for twenty concurrent callers', async () => {
    const { ask, refresh, store } = await fixture();
    ask.mockImplementation(async () => tokensOf(2));
    const logins = await Promise.all(Array.from({ length: 20 }, refresh));
    expect(new Set(logins.map((login) => login?.refreshToken))).toEqual(new Set(['refresh-2']));
    expect(ask).toHaveBeenCalledTimes(1);
    expect(ask).toHaveBeenCalledWith('/token', {
      grant_type: 'refresh_token',
      refresh_token: 'refresh-1',
    });
    expect((await store.read())?.refreshToken).toBe('refresh-2');
  });

  it('sends no request if another tab has stored a fresh token', async () => {
    const { ask, refresh, store } = await fixture();
    await store.update(() => loginNow(7));
    expect((await refresh())?.refreshToken).toBe('refresh-7');
    expect(ask).not.toHaveBeenCalled();
  });

  it('ends the login if the server answers invalid_grant', async () => {
    const { ask, refresh, store } = await fixture();
    ask.mockRejectedValue(rejection('invalid_grant', 400));
    expect(await refresh()).toBeNull();
    expect(await store.read()).toBeNull();
  });

  it.each(['invalid_grant', 'answered'])(
    'keeps a login that another tab stored during the request: %s',
    async (outcome) => {
      const { ask, refresh, store } = await fixture();
      ask.mockImplementation(async () => {
        await store.update(() => loginNow(7));
        if (outcome === 'answered') return tokensOf(2);
        throw rejection('invalid_grant', 400);
      });
      expect((await refresh())?.refreshToken).toBe('refresh-7');
      expect((await store.read())?.refreshToken).toBe('refresh-7');
    },
  );

  it('restores no login if the user logged out during the request', async () => {
    const { ask, refresh, store } = await fixture();
    ask.mockImplementation(async () => {
      await store.update(() => null);
      return tokensOf(2);
    });
    expect(await refresh()).toBeNull();
    expect(await store.read()).toBeNull();
  });
});

describe('a server that fails', () => {
  it.each([
    rejection('network_error'),
    rejection('temporarily_unavailable', 503, 2),
    rejection('too_many_requests', 429, 10),
    rejection('server_error', 502),
    rejection('invalid_answer', 200),
  ])('is asked three times, and the login is kept: $code', async (error) => {
    const { ask, refresh, store } = await fixture();
    ask.mockRejectedValue(error);
    const failed = expect(refresh()).rejects.toBe(error);
    await vi.runAllTimersAsync();
    await failed;
    expect(ask).toHaveBeenCalledTimes(3);
    expect((await store.read())?.refreshToken).toBe('refresh-1');

    ask.mockResolvedValue(tokensOf(2));
    expect((await refresh())?.refreshToken).toBe('refresh-2');
  });

  it('is asked again only after its Retry-After', async () => {
    const { ask, refresh } = await fixture();
    ask.mockRejectedValueOnce(rejection('temporarily_unavailable', 503, 5));
    ask.mockResolvedValueOnce(tokensOf(2));
    const refreshed = refresh();
    await vi.advanceTimersByTimeAsync(4999);
    expect(ask).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect((await refreshed)?.refreshToken).toBe('refresh-2');
  });

  it('is not asked again during a long Retry-After, for a minute at most; each refresh rejects at once', async () => {
    const { ask, refresh } = await fixture();
    const error = rejection('too_many_requests', 429, 86_400);
    ask.mockRejectedValue(error);
    await expect(refresh()).rejects.toBe(error);
    await expect(refresh()).rejects.toBe(error);
    expect(ask).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(60_000);
    ask.mockResolvedValue(tokensOf(2));
    expect((await refresh())?.refreshToken).toBe('refresh-2');
  });

  it('is not asked again after a permanent error, and the login is kept', async () => {
    const { ask, refresh, store } = await fixture();
    const error = rejection('invalid_scope', 400);
    ask.mockRejectedValue(error);
    await expect(refresh()).rejects.toBe(error);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(await store.read()).not.toBeNull();
  });
});

it('a refresh returns the new token if the storage cannot write it, and a later read writes it', async () => {
  const storage = memoryStorage();
  const { ask, refresh, store } = await fixture(storage);
  ask.mockResolvedValue(tokensOf(2));
  const write = vi.spyOn(storage, 'set').mockRejectedValueOnce(new Error('the device is locked'));
  expect((await refresh())?.refreshToken).toBe('refresh-2');
  expect(await storage.get()).toContain('refresh-1');
  expect((await store.read())?.refreshToken).toBe('refresh-2');
  expect(await storage.get()).toContain('refresh-2');
  expect(write).toHaveBeenCalledTimes(2);
});
