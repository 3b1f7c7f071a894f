import { ClientError, isTemporary } from './client-error.ts';
import type { LoginStore } from './login-store.ts';
import { sleep } from './platform.ts';
import type { RunExclusively } from './run-exclusively.ts';
import { loginOf, type StoredLogin, type TokenResponse } from './stored-login.ts';
import type { CallTokenRoute } from './token-endpoint.ts';

const MAX_ATTEMPTS = 3;

/** The longest delay before a retry, ms. If the server asks for a longer one, the refresh rejects. */
const MAX_WAIT_MS = 10_000;

/** The longest time without requests after a long `Retry-After`, ms: the server may be back sooner than it said. */
const MAX_PAUSE_MS = 60_000;

/**
 * Refreshes the login with the stamp `spentStamp`, whose access token has expired or expires soon. In cookie mode with
 * an empty storage, asks the server who is logged in. Resolves to null if the login has ended.
 *
 * Concurrency: one request at a time, over all clients of the storage. A newer login of another tab is used, and never
 * replaced.
 *
 * @throws {ClientError} if the server is unavailable; the login stays valid
 */
export type Refresh = (spentStamp: number | undefined) => Promise<StoredLogin | null>;

export interface RefresherDeps {
  readonly store: LoginStore;
  readonly callTokenRoute: CallTokenRoute;
  readonly runExclusively: RunExclusively;
  /** Whether the browser sends the refresh token, in a cookie. */
  readonly cookieMode?: boolean;
}

export function createRefresher(deps: RefresherDeps): Refresh {
  const { store, callTokenRoute, runExclusively, cookieMode } = deps;
  let pendingRefresh: Promise<StoredLogin | null> | undefined;
  /** The last error with a long `Retry-After`, and until when it is repeated, by the monotonic clock. */
  let rejection: { readonly error: ClientError; readonly untilMs: number } | undefined;

  return async (spentStamp) => {
    let login: StoredLogin | null;
    do {
      pendingRefresh ??= refreshWithRetries(spentStamp).finally(() => {
        pendingRefresh = undefined;
      });
      login = await pendingRefresh;
      // A refresh that was already pending for another login may resolve to the spent login.
    } while (login && login.stamp === spentStamp);
    return login;
  };

  async function refreshWithRetries(spentStamp: number | undefined): Promise<StoredLogin | null> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await runExclusively((markStored) => refreshOnce(spentStamp, markStored));
      } catch (error) {
        if (!(error instanceof ClientError && isTemporary(error))) throw error;
        // By default half a second to a second, then one to two seconds.
        const { retryAfterSeconds = (2 ** attempt * (1 + Math.random())) / 4 } = error;
        const waitMs = retryAfterSeconds * 1000;
        if (waitMs > MAX_WAIT_MS) {
          rejection = { error, untilMs: performance.now() + Math.min(waitMs, MAX_PAUSE_MS) };
          throw error;
        }
        if (attempt === MAX_ATTEMPTS) throw error;
        await sleep(waitMs);
      }
    }
  }

  async function refreshOnce(
    spentStamp: number | undefined,
    markStored: () => void,
  ): Promise<StoredLogin | null> {
    const login = await store.read();
    const isSpent = login && login.stamp === spentStamp;
    if (!isSpent && !store.needsRefresh(login)) return login;
    if (rejection && performance.now() < rejection.untilMs) throw rejection.error;
    const newLogin = await requestSuccessor(login);
    markStored();
    // During the request the user may have logged out or in, or another tab without locks may have refreshed.
    return store.update((stored) => (stored?.stamp === login?.stamp ? newLogin : stored));
  }

  /** Resolves to null if the server has ended the login. */
  async function requestSuccessor(login: StoredLogin | null): Promise<StoredLogin | null> {
    // In cookie mode the storage has a refresh token only from before the app switched to cookie mode.
    const request = { grant_type: 'refresh_token', refresh_token: login?.refreshToken };
    try {
      return loginOf((await callTokenRoute('/token', request)) as TokenResponse, cookieMode);
    } catch (error) {
      if (error instanceof ClientError && error.code === 'invalid_grant') return null;
      throw error;
    }
  }
}
