import { createAuthorizedFetch } from './authorized-fetch.ts';
import type {
  ChallengeRequest,
  Client,
  ClientOptions,
  LoginOutcome,
  LoginRequest,
  LogoutOutcome,
} from './client.ts';
import { ClientError, isTemporary } from './client-error.ts';
import { memoryStorage } from './client-storage.ts';
import { createLoginStore } from './login-store.ts';
import { platform } from './platform.ts';
import { createRefresher } from './refresher.ts';
import { createRequestRoute } from './request-route.ts';
import { createRunExclusively } from './run-exclusively.ts';
import { type AccountId, loginOf, type StoredLogin } from './stored-login.ts';
import { createCallTokenRoute } from './token-endpoint.ts';
import { webStorage } from './web-storage.ts';

/** The delay before a failed check of the session is retried, ms. */
const RETRY_SESSION_CHECK_MS = 10_000;

/**
 * Creates a client. Use one client per API.
 *
 * @throws {TypeError} if `mode` is unknown, or if `baseUrl` or an allowed origin is not an http or https URL, or has a
 * query, a fragment or a user
 *
 * @example
 * ```ts
 * import { createClient, webStorage } from '@latchhook/client';
 *
 * const client = createClient({ baseUrl: 'https://api.example.com', storage: webStorage() });
 * await client.login({ username: 'ada@example.com', password: 'correct horse battery staple' });
 * const me = await client.fetch('/me');
 * ```
 *
 * For string account ids, use `createClient<string>`.
 */
export function createClient<Id extends AccountId = number>(options: ClientOptions): Client<Id> {
  const { mode = 'bearer', allowedOrigins = [] } = options;
  const cookieMode = mode === 'cookie';
  if (!cookieMode && mode !== 'bearer')
    throw new TypeError(`${mode} is no mode: use bearer or cookie.`);
  const { storage = cookieMode ? webStorage() : memoryStorage() } = options;
  // Looked up at every call because a library may replace `globalThis.fetch` later.
  const { fetch = (input, init) => globalThis.fetch(input, init) } = options;
  const base = httpUrl(options.baseUrl);
  const baseUrl = base.href.replace(/\/$/, '');

  const store = createLoginStore(storage, cookieMode);
  const callTokenRoute = createCallTokenRoute(fetch, baseUrl, cookieMode);
  // In cookie mode all clients of a server share its cookies, whatever their storage.
  const runExclusively = createRunExclusively(cookieMode ? base.origin : storage.name);
  const refresh = createRefresher({ store, callTokenRoute, runExclusively, cookieMode });
  const origins = new Set([base, ...allowedOrigins.map(httpUrl)].map(({ origin }) => origin));
  const authorizedFetch = createAuthorizedFetch({
    fetch,
    baseUrl: base.href,
    origins,
    refresh,
    validLogin,
    cookieMode,
  });
  /** The requested scopes by challenge, to be sent again with the code. Few: one for each login that needed a code. */
  const challengeScopes = new Map<string, readonly string[]>();

  async function validLogin(): Promise<StoredLogin | null> {
    const login = await store.current();
    if (!store.needsRefresh(login)) return login;
    let renewed: StoredLogin | null;
    try {
      renewed = await refresh(login?.stamp);
    } catch (error) {
      if (login && store.remainingMs(login) > 0) return login;
      throw error;
    }
    if (login && renewed && renewed.session.userId !== login.session.userId) {
      throw new ClientError('Another user has logged in.', { code: 'login_changed' });
    }
    return renewed;
  }

  /** Asks the server who is logged in, until the server responds. */
  function checkSession(): void {
    validLogin().catch((error) => {
      // If the server rejects the request, the stored login counts, or that there is none: after any update, the
      // session is known.
      if (error instanceof ClientError && !isTemporary(error))
        void store.update((stored) => stored);
      else setTimeout(checkSession, RETRY_SESSION_CHECK_MS);
    });
  }

  async function login(request: LoginRequest<AccountId>): Promise<LoginOutcome<AccountId>> {
    const { username, password, scopes = ['user'], accountId } = request;
    // `/token` takes scopes as comma-separated text, and `/token/challenge` as an array.
    return requestLogin(
      '/token',
      { username, password, scopes: scopes.join(), account_id: accountId },
      scopes,
    );
  }

  async function completeChallenge(request: ChallengeRequest): Promise<LoginOutcome<AccountId>> {
    const { challenge, code, scopes = challengeScopes.get(challenge) } = request;
    return requestLogin('/token/challenge', { challenge, code, scopes }, scopes);
  }

  function requestLogin(
    path: string,
    body: object,
    scopes: readonly string[] = [],
  ): Promise<LoginOutcome<AccountId>> {
    // Within the lock: otherwise a refresh in another tab, which does not see this login yet, might overwrite it or its
    // cookies.
    return runExclusively(async (markStored) => {
      const response = await callTokenRoute(path, body);
      if ('challenge' in response) {
        const { challenge, methods } = response;
        challengeScopes.set(challenge, scopes);
        return { outcome: 'challenge', challenge, methods };
      }
      const newLogin = loginOf(response, cookieMode);
      markStored();
      await store.update(() => newLogin);
      return { outcome: 'success', session: newLogin.session };
    });
  }

  async function logout(): Promise<LogoutOutcome> {
    let userId: string | undefined;
    const tokens = new Set<string | undefined>();
    // Reads the storage unless a login is in memory: that login is revoked even if the storage cannot be read.
    if (!cookieMode) await store.current();
    await store.update((stored) => {
      userId = stored?.session.userId;
      tokens.add(stored?.refreshToken);
      return null;
    });
    try {
      await runExclusively(async () => {
        // While this call waited for the lock, another tab may have refreshed the login, or logged the user in again.
        await store.update((stored) => {
          if (!cookieMode && stored?.session.userId !== userId) return stored;
          tokens.add(stored?.refreshToken);
          return null;
        });
        for (const token of tokens) {
          if (cookieMode || token) await callTokenRoute('/token/revoke', { token });
        }
      });
      return { outcome: 'success' };
    } catch (error) {
      if (error instanceof ClientError) return { outcome: 'not_revoked', error };
      throw error;
    }
  }

  // Without a location, a server renders the page, and there are no cookies.
  if (cookieMode && platform.location) checkSession();

  const client: Client<AccountId> = {
    login,
    completeChallenge,
    logout,
    session: store.session,
    subscribe: store.subscribe,
    fetch: authorizedFetch,
    request: createRequestRoute(authorizedFetch, baseUrl),
    async getAccessToken() {
      if (cookieMode) throw new TypeError('Cookie mode: use client.fetch.');
      return (await validLogin())?.accessToken ?? null;
    },
  };
  // Whether account ids are numbers or strings is an option of the server, so the caller states it by `Id`.
  return client as Client<Id>;
}

function httpUrl(url: string): URL {
  const parsed = new URL(url, platform.location?.href);
  // Without `url`, as if the build lacks a setting, a browser resolves it to a path of the page.
  if (!/^https?:\/\/[^@/]*\/[^?#]*$/.test(url && parsed.href))
    throw new TypeError(`${url} is no http(s) URL without query and fragment.`);
  return parsed;
}
