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
import { createExclusively, type Exclusively } from './exclusively.ts';
import { createLoginStore } from './login-store.ts';
import { platform } from './platform.ts';
import { createRefresher } from './refresher.ts';
import { createRequestRoute } from './request-route.ts';
import { type AccountId, loginOf, type StoredLogin } from './stored-login.ts';
import { createAskTokens } from './token-endpoint.ts';
import { webStorage } from './web-storage.ts';

/** The delay before asking the server again who is logged in, ms. */
const LOOK_AGAIN_MS = 10_000;

/**
 * Creates a client. Use one per API.
 *
 * @throws {TypeError} where `baseUrl` or an allowed origin is not an http or https URL, or has a query, a fragment or a
 * user
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
  const { mode, allowedOrigins = [] } = options;
  const inCookies = mode === 'cookie';
  const { storage = inCookies ? webStorage() : memoryStorage() } = options;
  // Read at every call, as others may wrap it later.
  const { fetch = (input, init) => globalThis.fetch(input, init) } = options;
  const base = httpUrl(options.baseUrl);
  const baseUrl = base.href.replace(/\/$/, '');

  const store = createLoginStore(storage, inCookies);
  const ask = createAskTokens(fetch, baseUrl, inCookies);
  // All clients of a server share its cookies.
  const exclusively = createExclusively(inCookies ? base.origin : storage.name);
  const refresh = createRefresher({ store, ask, exclusively, inCookies });
  const origins = new Set([base, ...allowedOrigins.map(httpUrl)].map(({ origin }) => origin));
  const authorizedFetch = createAuthorizedFetch({
    fetch,
    baseUrl: base.href,
    origins,
    refresh,
    goodLogin,
    inCookies,
  });
  /** The scopes of pending challenges, which are sent again with the code. */
  const askedScopes = new Map<string, readonly string[]>();

  async function goodLogin(): Promise<StoredLogin | null> {
    const login = await store.current();
    if (login ? store.isFresh(login) : store.isKnown()) return login;
    let renewed: StoredLogin | null;
    try {
      renewed = await refresh(login?.stamp);
    } catch (error) {
      if (login && store.remainingMs(login) > 0) return login;
      throw error;
    }
    if (login && renewed && renewed.session.userId !== login.session.userId) {
      throw new ClientError('Somebody else has logged in.', { code: 'login_changed' });
    }
    return renewed;
  }

  /** Asks the server who is logged in, until it responds. */
  function look(): void {
    goodLogin().catch((error) => {
      if (error instanceof ClientError && isTemporary(error)) setTimeout(look, LOOK_AGAIN_MS);
    });
  }

  /** The browser applies the cookies of every response, so only one may be pending. */
  const alone: Exclusively = inCookies ? exclusively : (work) => work(() => {});

  async function login(request: LoginRequest<AccountId>): Promise<LoginOutcome<AccountId>> {
    const { username, password, scopes = ['user'], accountId } = request;
    return logInBy(
      '/token',
      { username, password, scopes: scopes.join(), account_id: accountId },
      scopes,
    );
  }

  async function completeChallenge(request: ChallengeRequest): Promise<LoginOutcome<AccountId>> {
    const { challenge, code, scopes = askedScopes.get(challenge) } = request;
    const outcome = await logInBy('/token/challenge', { challenge, code, scopes }, scopes);
    askedScopes.delete(challenge);
    return outcome;
  }

  function logInBy(
    path: string,
    body: object,
    scopes: readonly string[] = [],
  ): Promise<LoginOutcome<AccountId>> {
    return alone(async (hasStored) => {
      const answer = await ask(path, body);
      if ('challenge' in answer) {
        const { challenge, methods } = answer;
        askedScopes.set(challenge, scopes);
        return { outcome: 'challenge', challenge, methods };
      }
      const next = loginOf(answer, inCookies);
      hasStored();
      await store.update(() => next);
      return { outcome: 'success', session: next.session };
    });
  }

  async function logout(): Promise<LogoutOutcome> {
    const held = await store.read();
    await store.update(() => null);
    const token = held?.refreshToken;
    try {
      if (inCookies || token) await alone(() => ask('/token/revoke', { token }));
      return { outcome: 'success' };
    } catch (error) {
      if (error instanceof ClientError) return { outcome: 'not_revoked', error };
      throw error;
    }
  }

  // There are no cookies when rendering on a server.
  if (inCookies && platform.location) look();

  const client: Client<AccountId> = {
    login,
    completeChallenge,
    logout,
    session: store.session,
    subscribe: store.subscribe,
    fetch: authorizedFetch,
    request: createRequestRoute(authorizedFetch, baseUrl),
    async getAccessToken() {
      if (inCookies)
        throw new TypeError('In cookie mode scripts have no access token: use client.fetch.');
      const held = await goodLogin();
      return held?.accessToken ?? null;
    },
  };
  // The server's configuration decides the kind of ids.
  return client as Client<Id>;
}

function httpUrl(url: string): URL {
  const parsed = new URL(url, platform.location?.href);
  if (!/^https?:\/\/[^@/]*\/[^?#]*$/.test(parsed.href))
    throw new TypeError(`${url} is no http or https URL without query and fragment.`);
  return parsed;
}
