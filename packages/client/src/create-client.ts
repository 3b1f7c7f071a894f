import { createAuthorizedFetch } from './authorized-fetch.ts';
import type {
  ChallengeRequest,
  Client,
  ClientOptions,
  LoginOutcome,
  LoginRequest,
  LogoutOutcome,
} from './client.ts';
import { ClientError } from './client-error.ts';
import { memoryStorage } from './client-storage.ts';
import { createExclusively } from './exclusively.ts';
import { createLoginStore } from './login-store.ts';
import { platform } from './platform.ts';
import { createRefresher } from './refresher.ts';
import { createRequestRoute } from './request-route.ts';
import { loginOf, type StoredLogin, type TokenAnswer } from './stored-login.ts';
import { createAskTokens } from './token-endpoint.ts';

/**
 * Makes a client: one for each API is enough.
 *
 * @throws {TypeError} where `baseUrl` or an allowed origin is not an http or https URL
 *
 * @example
 * ```ts
 * import { createClient, webStorage } from '@latchhook/client';
 *
 * const client = createClient({ baseUrl: 'https://api.example.com', storage: webStorage() });
 * await client.login({ username: 'ada@example.com', password: 'correct horse battery staple' });
 * const me = await client.fetch('/me');
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const { storage = memoryStorage(), allowedOrigins = [] } = options;
  // Looked up at every call, as others may wrap it later.
  const { fetch = (input, init) => globalThis.fetch(input, init) } = options;
  const base = httpUrl(options.baseUrl);
  const baseUrl = base.href.replace(/\/$/, '');

  const store = createLoginStore(storage);
  const ask = createAskTokens(fetch, baseUrl);
  const refresh = createRefresher({ store, ask, exclusively: createExclusively(storage.name) });
  const origins = new Set([base, ...allowedOrigins.map(httpUrl)].map(({ origin }) => origin));
  const authorizedFetch = createAuthorizedFetch({ fetch, baseUrl, origins, refresh, goodLogin });
  /** The scopes of logins that wait for a code, which the server wants to be told again. */
  const askedScopes = new Map<string, readonly string[]>();

  async function goodLogin(): Promise<StoredLogin | null> {
    const login = await store.current();
    if (login === null || store.isFresh(login)) return login;
    try {
      return await refresh(login.accessToken);
    } catch (error) {
      if (store.remainingMs(login) > 0) return login;
      throw error;
    }
  }

  async function login(request: LoginRequest): Promise<LoginOutcome> {
    const { username, password, scopes = ['user'], accountId } = request;
    const answer = await ask('/token', {
      username,
      password,
      scopes: scopes.join(),
      account_id: accountId,
    });
    if (!('challenge' in answer)) return succeed(loginOf(answer));
    const { challenge, methods } = answer;
    askedScopes.set(challenge, scopes);
    return { outcome: 'challenge', challenge, methods };
  }

  async function completeChallenge(request: ChallengeRequest): Promise<LoginOutcome> {
    const { challenge, code, scopes = askedScopes.get(challenge) } = request;
    const answer = await ask('/token/challenge', { challenge, code, scopes });
    askedScopes.delete(challenge);
    return succeed(loginOf(answer as TokenAnswer));
  }

  async function succeed(next: StoredLogin): Promise<LoginOutcome> {
    await store.update(() => next);
    return { outcome: 'success', session: next.session };
  }

  async function logout(): Promise<LogoutOutcome> {
    const held = await store.read();
    await store.update(() => null);
    try {
      if (held !== null) await ask('/token/revoke', { token: held.refreshToken });
      return { outcome: 'success' };
    } catch (error) {
      if (error instanceof ClientError) return { outcome: 'not_revoked', error };
      throw error;
    }
  }

  return {
    login,
    completeChallenge,
    logout,
    session: store.session,
    subscribe: store.subscribe,
    fetch: authorizedFetch,
    request: createRequestRoute(authorizedFetch, baseUrl),
    async getAccessToken() {
      const held = await goodLogin();
      return held?.accessToken ?? null;
    },
  };
}

function httpUrl(url: string): URL {
  const parsed = new URL(url, platform.location?.href);
  if (!/^https?:$/.test(parsed.protocol)) throw new TypeError(`${url} is no http or https URL.`);
  return parsed;
}
