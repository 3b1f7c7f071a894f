import { ClientError, isTemporary } from './client-error.ts';
import type { Exclusively } from './exclusively.ts';
import type { LoginStore } from './login-store.ts';
import { loginOf, type StoredLogin, type TokenAnswer } from './stored-login.ts';
import type { AskTokens } from './token-endpoint.ts';

const MAX_TRIES = 3;

/** Anyone who has to wait longer is told so instead, ms. */
const MAX_WAIT_MS = 10_000;

/**
 * Exchanges an access token that is no longer good, or soon will not be, for another; without one it finds out whether
 * the cookies have a login. Resolves to null if it has ended, or there is none.
 *
 * Concurrency: one request at a time, in this client and among all who share its storage. What another tab has got
 * meanwhile is used, and never replaced by less.
 *
 * @throws {ClientError} where the server cannot be asked; the login goes on
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
  /** What the server said when it last asked to wait for long, and until when that holds by the monotonic clock. */
  let rejection: { readonly error: ClientError; readonly untilMs: number } | undefined;

  return async (spentStamp) => {
    let login: StoredLogin | null;
    do {
      underWay ??= patiently(spentStamp).finally(() => {
        underWay = undefined;
      });
      login = await underWay;
      // One that was under way for another token may end in the very one that is spent.
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
        if (waitMs > MAX_WAIT_MS) rejection = { error, untilMs: performance.now() + waitMs };
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
    // Meanwhile the user may have logged out or in again, or another tab without locks may have been faster.
    return store.update((stored) => (stored?.stamp === held?.stamp ? next : stored));
  }

  /** Resolves to null where the server has ended the login; nothing else ends one. */
  async function successorOf(held: StoredLogin | null): Promise<StoredLogin | null> {
    // In cookie mode one is left of before the app changed to it: the server exchanges it for cookies.
    const request = { grant_type: 'refresh_token', refresh_token: held?.refreshToken };
    try {
      return loginOf((await ask('/token', request)) as TokenAnswer, inCookies);
    } catch (error) {
      if (error instanceof ClientError && error.code === 'invalid_grant') return null;
      throw error;
    }
  }
}
