import { ClientError, isTemporary } from './client-error.ts';
import type { Exclusively } from './exclusively.ts';
import type { LoginStore } from './login-store.ts';
import { loginOf, type StoredLogin, type TokenAnswer } from './stored-login.ts';
import type { AskTokens } from './token-endpoint.ts';

const MAX_TRIES = 3;

/** A longer wait rejects instead, ms. */
const MAX_WAIT_MS = 10_000;

/** For how long the server is not asked again at most, ms, whatever it said: it may be back sooner. */
const MAX_PAUSE_MS = 60_000;

/**
 * Refreshes an access token that has expired or soon will; without one it asks whether the cookies have a login.
 * Resolves to null if there is none any more.
 *
 * Concurrency: one request at a time, over all clients of the storage. A newer login of another tab is used, and never
 * replaced.
 *
 * @throws {ClientError} where the server is unavailable; the login goes on
 */
export type Refresh = (spentStamp: number | undefined) => Promise<StoredLogin | null>;

export interface RefresherDeps {
  readonly store: LoginStore;
  readonly ask: AskTokens;
  readonly exclusively: Exclusively;
  /** Whether the browser sends the refresh token. */
  readonly inCookies?: boolean;
}

export function createRefresher(deps: RefresherDeps): Refresh {
  const { store, ask, exclusively, inCookies } = deps;
  let underWay: Promise<StoredLogin | null> | undefined;
  /** The last error with a long `Retry-After`, and its end by the monotonic clock. */
  let rejection: { readonly error: ClientError; readonly untilMs: number } | undefined;

  return async (spentStamp) => {
    let login: StoredLogin | null;
    do {
      underWay ??= patiently(spentStamp).finally(() => {
        underWay = undefined;
      });
      login = await underWay;
      // A pending one for another token may return the spent one.
    } while (login && login.stamp === spentStamp);
    return login;
  };

  async function patiently(spentStamp: number | undefined): Promise<StoredLogin | null> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await exclusively((hasStored) => exchange(spentStamp, hasStored));
      } catch (error) {
        if (!(error instanceof ClientError && isTemporary(error))) throw error;
        const { retryAfterSeconds = 2 ** tries * (0.25 + Math.random() / 4) } = error;
        const waitMs = retryAfterSeconds * 1000;
        if (waitMs > MAX_WAIT_MS) {
          rejection = { error, untilMs: performance.now() + Math.min(waitMs, MAX_PAUSE_MS) };
        }
        if (waitMs > MAX_WAIT_MS || tries === MAX_TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  async function exchange(
    spentStamp: number | undefined,
    hasStored: () => void,
  ): Promise<StoredLogin | null> {
    const held = await store.read();
    if (held ? held.stamp !== spentStamp && store.isFresh(held) : store.isKnown()) return held;
    if (rejection && performance.now() < rejection.untilMs) throw rejection.error;
    const next = await successorOf(held);
    hasStored();
    // Meanwhile the user may have logged out or in, or another tab without locks may have refreshed.
    return store.update((stored) => (stored?.stamp === held?.stamp ? next : stored));
  }

  /** Resolves to null only where the server has ended the login. */
  async function successorOf(held: StoredLogin | null): Promise<StoredLogin | null> {
    // In cookie mode a stored token is from before the app's change to it.
    const request = { grant_type: 'refresh_token', refresh_token: held?.refreshToken };
    try {
      return loginOf((await ask('/token', request)) as TokenAnswer, inCookies);
    } catch (error) {
      if (error instanceof ClientError && error.code === 'invalid_grant') return null;
      throw error;
    }
  }
}
