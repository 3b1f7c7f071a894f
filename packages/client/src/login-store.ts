import type { ClientStorage } from './client-storage.ts';
import { type AccountId, parseLogin, type Session, type StoredLogin } from './stored-login.ts';

/** How long before expiry an access token is refreshed, ms. */
const REFRESH_AHEAD_MS = 30_000;

/** Null: logged out. Undefined: not known yet because the storage is being read for the first time. */
export type SessionState<Id extends AccountId = number> = Session<Id> | null | undefined;

/** The login of a client, in the storage and in memory. */
export interface LoginStore {
  /** The session in memory. The same object until it changes. */
  session(): SessionState<AccountId>;
  subscribe(listener: (session: SessionState<AccountId>) => void): () => void;
  /** Resolves to the login in memory; reads the storage if there is none, or if the last write failed. */
  current(): Promise<StoredLogin | null>;
  /** Reads the login from the storage. */
  read(): Promise<StoredLogin | null>;
  /**
   * Applies `change` to the stored login, writes the result if it is another login, and resolves to it.
   *
   * Atomicity: no other access of this client to the storage comes in between.
   */
  update(change: (stored: StoredLogin | null) => StoredLogin | null): Promise<StoredLogin | null>;
  /** How long the access token is still valid, ms. */
  remainingMs(login: StoredLogin): number;
  /**
   * Whether the access token has expired or expires soon. Without a login: whether the server must be asked who is
   * logged in, because in cookie mode the cookies may have a login at first.
   */
  needsRefresh(login: StoredLogin | null): boolean;
}

/** @param cookieMode - whether the tokens are in cookies */
export function createLoginStore(storage: ClientStorage, cookieMode?: boolean): LoginStore {
  const parse = (text: string | null) => parseLogin(text, cookieMode);
  const listeners = new Set<(session: SessionState<AccountId>) => void>();
  let login: StoredLogin | null | undefined;
  let session: SessionState<AccountId>;
  /** Whether an empty storage means that nobody is logged in. */
  let isSessionKnown = !cookieMode;
  /** When the access token was received, by the monotonic clock. */
  let receivedAtMs = 0;
  /** The login whose write failed, and the text that it should have replaced. */
  let unsaved:
    | { readonly replacedText: string | null | undefined; readonly login: StoredLogin | null }
    | undefined;
  /** The text that was last read or written; undefined before the first access. */
  let lastText: string | null | undefined;
  let lastAccess: Promise<unknown> = Promise.resolve();

  function serialize<Result>(work: () => Promise<Result>): Promise<Result> {
    const access = lastAccess.then(work, work);
    lastAccess = access;
    return access;
  }

  function setLogin(newLogin: StoredLogin | null): StoredLogin | null {
    if (newLogin && newLogin.stamp !== login?.stamp) {
      const ageMs = Date.now() - newLogin.receivedAtMs;
      // A negative age: the clock was set back, by an unknown time, so the token counts as expired.
      receivedAtMs = performance.now() - (ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs);
    }
    login = newLogin;
    if (newLogin) isSessionKnown = true;
    const newSession = newLogin?.session ?? (isSessionKnown ? null : undefined);
    if (JSON.stringify(newSession) !== JSON.stringify(session)) {
      session = newSession;
      // Asynchronous, so that a listener that throws does not fail a refresh.
      for (const listener of listeners) void Promise.resolve(newSession).then(listener);
    }
    return newLogin;
  }

  async function write(
    replacedText: string | null | undefined,
    newLogin: StoredLogin | null,
  ): Promise<void> {
    const text = newLogin && JSON.stringify(newLogin);
    unsaved = { replacedText, login: newLogin };
    try {
      await (text ? storage.set(text) : storage.remove());
      lastText = text;
      unsaved = undefined;
    } catch {
      // The refresh token in the storage may be spent, so `unsaved` is used until a write succeeds.
    }
  }

  const unchanged = (stored: StoredLogin | null) => stored;
  const read: LoginStore['read'] = () => transact(unchanged);

  const update: LoginStore['update'] = (change) =>
    transact((stored) => {
      isSessionKnown = true;
      return change(stored);
    });

  const transact: LoginStore['update'] = (change) =>
    serialize(async () => {
      try {
        lastText = await storage.get();
      } catch (error) {
        // Only a mere read rejects: the refresh token of a change must be kept because the stored one may be spent.
        if (change === unchanged && !unsaved) throw error;
      }
      const text = lastText;
      // Another client has written since the failed write, and its login wins.
      if (unsaved?.replacedText !== undefined && unsaved.replacedText !== text) unsaved = undefined;
      const stored = unsaved ? unsaved.login : parse(text ?? null);
      const newLogin = change(stored);
      if (unsaved || newLogin !== stored) await write(text, newLogin);
      return setLogin(newLogin);
    });

  const remainingMs: LoginStore['remainingMs'] = (ofLogin) => {
    // The monotonic clock may stop while the device sleeps, and the wall clock may be set back: the greater age counts.
    const ageMs = Math.max(performance.now() - receivedAtMs, Date.now() - ofLogin.receivedAtMs);
    return ofLogin.expiresInSeconds * 1000 - ageMs;
  };

  try {
    const text = storage.get();
    if (text === null || typeof text === 'string') {
      lastText = text;
      setLogin(parse(text));
    } else ignoreRejection(text.then(read));
  } catch {
    // The next use reads again, and reports the failure.
  }
  storage.subscribe?.(() => ignoreRejection(read()));

  return {
    session: () => session,
    subscribe(listener) {
      // A new function because the same listener may subscribe twice. It may unsubscribe before it is called.
      const ownListener = (state: SessionState<AccountId>) => {
        if (listeners.has(ownListener)) listener(state);
      };
      listeners.add(ownListener);
      return () => void listeners.delete(ownListener);
    },
    current: async () => (unsaved ? read() : (login ?? read())),
    read,
    update,
    remainingMs,
    needsRefresh: (ofLogin) =>
      ofLogin ? !(remainingMs(ofLogin) > REFRESH_AHEAD_MS) : !isSessionKnown,
  };
}

/** For reads that nobody awaits: the next use reads again, and reports the failure. */
function ignoreRejection(work: Promise<unknown>): void {
  work.catch(() => {});
}
