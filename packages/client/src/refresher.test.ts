import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClientError } from './client-error.ts';
import { type ClientStorage, memoryStorage } from './client-storage.ts';
import { createLoginStore } from './login-store.ts';
import { createRefresher } from './refresher.ts';
import type { StoredLogin, TokenResponse } from './stored-login.ts';

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

const loginOfGeneration = (generation: number): StoredLogin => {
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

/** A refresher whose storage holds the login of generation 1, and a mock of the server. */
async function fixture(storage: ClientStorage = memoryStorage()) {
  const store = createLoginStore(storage);
  const login = loginOfGeneration(1);
  await store.update(() => login);
  const callTokenRoute = vi.fn<(path: string, body: object) => Promise<TokenResponse>>();
  const refresh = createRefresher({
    store,
    callTokenRoute,
    runExclusively: (work) => work(() => {}),
  });
  return { store, login, callTokenRoute, refresh: () => refresh(login.stamp) };
}

describe('a refresh', () => {
  it('sends one request for twenty concurrent callers', async () => {
    const { callTokenRoute, refresh, store } = await fixture();
    callTokenRoute.mockImplementation(async () => tokensOf(2));
    const logins = await Promise.all(Array.from({ length: 20 }, refresh));
    expect(new Set(logins.map((login) => login?.refreshToken))).toEqual(new Set(['refresh-2']));
    expect(callTokenRoute).toHaveBeenCalledTimes(1);
    expect(callTokenRoute).toHaveBeenCalledWith('/token', {
      grant_type: 'refresh_token',
      refresh_token: 'refresh-1',
    });
    expect((await store.read())?.refreshToken).toBe('refresh-2');
  });

  it('sends no request if another tab has stored a fresh access token', async () => {
    const { callTokenRoute, refresh, store } = await fixture();
    await store.update(() => loginOfGeneration(7));
    expect((await refresh())?.refreshToken).toBe('refresh-7');
    expect(callTokenRoute).not.toHaveBeenCalled();
  });

  it('ends the login if the server responds with invalid_grant', async () => {
    const { callTokenRoute, refresh, store } = await fixture();
    callTokenRoute.mockRejectedValue(rejection('invalid_grant', 400));
    expect(await refresh()).toBeNull();
    expect(await store.read()).toBeNull();
  });

  it.each(['is invalid_grant', 'has new tokens'])(
    'keeps a login that another tab stored during the request, if the response %s',
    async (response) => {
      const { callTokenRoute, refresh, store } = await fixture();
      callTokenRoute.mockImplementation(async () => {
        await store.update(() => loginOfGeneration(7));
        if (response === 'has new tokens') return tokensOf(2);
        throw rejection('invalid_grant', 400);
      });
      expect((await refresh())?.refreshToken).toBe('refresh-7');
      expect((await store.read())?.refreshToken).toBe('refresh-7');
    },
  );

  it('restores no login if the user logged out during the request', async () => {
    const { callTokenRoute, refresh, store } = await fixture();
    callTokenRoute.mockImplementation(async () => {
      await store.update(() => null);
      return tokensOf(2);
    });
    expect(await refresh()).toBeNull();
    expect(await store.read()).toBeNull();
  });
});

describe('a refresh from a server that fails', () => {
  it.each([
    rejection('network_error'),
    rejection('temporarily_unavailable', 503, 2),
    rejection('too_many_requests', 429, 10),
    rejection('server_error', 502),
    rejection('invalid_answer', 200),
  ])('rejects with $code after three requests, and keeps the login', async (error) => {
    const { callTokenRoute, refresh, store } = await fixture();
    callTokenRoute.mockRejectedValue(error);
    const rejected = expect(refresh()).rejects.toBe(error);
    await vi.runAllTimersAsync();
    await rejected;
    expect(callTokenRoute).toHaveBeenCalledTimes(3);
    expect((await store.read())?.refreshToken).toBe('refresh-1');

    callTokenRoute.mockResolvedValue(tokensOf(2));
    expect((await refresh())?.refreshToken).toBe('refresh-2');
  });

  it('retries only after the Retry-After', async () => {
    const RETRY_AFTER_MS = 5000;
    const { callTokenRoute, refresh } = await fixture();
    callTokenRoute.mockRejectedValueOnce(
      rejection('temporarily_unavailable', 503, RETRY_AFTER_MS / 1000),
    );
    callTokenRoute.mockResolvedValueOnce(tokensOf(2));
    const refreshed = refresh();
    await vi.advanceTimersByTimeAsync(RETRY_AFTER_MS - 1);
    expect(callTokenRoute).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect((await refreshed)?.refreshToken).toBe('refresh-2');
  });

  it('rejects, and sends no request, for a minute after a response with a longer Retry-After', async () => {
    const { callTokenRoute, refresh } = await fixture();
    const error = rejection('too_many_requests', 429, 86_400);
    callTokenRoute.mockRejectedValue(error);
    await expect(refresh()).rejects.toBe(error);
    await expect(refresh()).rejects.toBe(error);
    expect(callTokenRoute).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(60_000);
    callTokenRoute.mockResolvedValue(tokensOf(2));
    expect((await refresh())?.refreshToken).toBe('refresh-2');
  });

  it('keeps the login and does not retry after a permanent error', async () => {
    const { callTokenRoute, refresh, store } = await fixture();
    const error = rejection('invalid_scope', 400);
    callTokenRoute.mockRejectedValue(error);
    await expect(refresh()).rejects.toBe(error);
    expect(callTokenRoute).toHaveBeenCalledTimes(1);
    expect(await store.read()).not.toBeNull();
  });
});

it('a refresh resolves to the new login even if the storage cannot write it until the next read', async () => {
  const storage = memoryStorage();
  const { callTokenRoute, refresh, store } = await fixture(storage);
  callTokenRoute.mockResolvedValue(tokensOf(2));
  const write = vi.spyOn(storage, 'set').mockRejectedValueOnce(new Error('the device is locked'));
  expect((await refresh())?.refreshToken).toBe('refresh-2');
  expect(await storage.get()).toContain('refresh-1');
  expect((await store.read())?.refreshToken).toBe('refresh-2');
  expect(await storage.get()).toContain('refresh-2');
  expect(write).toHaveBeenCalledTimes(2);
});
