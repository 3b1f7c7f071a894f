import type { ClientStorage } from './client-storage.ts';
import { createSessionState, type SessionState } from './session-state.ts';
import { type AccountId, parseLogin, type StoredLogin } from './stored-login.ts';
import { monotonicReceiptMs, remainingLifetimeMs } from './token-age.ts';

/** How long before expiry an access token is refreshed, ms. */
const REFRESH_AHEAD_MS = 30_000;

/** Computes the login that replaces the stored login. */
type Change = (stored: StoredLogin | null) => StoredLogin | null;

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
   * Applies `change` to the stored login, writes the result if it is another login, and resolves to it. From then on
   * the session is known, even if the change returns what is stored.
   *
   * Atomicity: no other access of this client to the storage comes in between.
   */
  update(change: Change): Promise<StoredLogin | null>;
  /** How long the access token is still valid, ms. */
  remainingMs(login: StoredLogin): number;
  /**
   * Whether the access token has expired or expires soon. Without a login: whether the server must be asked who is
   * logged in. In cookie mode it must at first, because the cookies may have a login although the storage has none.
   */
  needsRefresh(login: StoredLogin | null): boolean;
}

/** @param cookieMode - whether the tokens are in cookies */
export function createLoginStore(storage: ClientStorage, cookieMode?: boolean): LoginStore {
  const { session, subscribe, setSession } = createSessionState();
  let login: StoredLogin | null = null;
  /** When the access token of `login` was received, by the monotonic clock, ms. */
  let receivedAtMs = 0;
  /** Whether an empty storage means that nobody is logged in: in cookie mode the cookies may have a login. */
  let isSessionKnown = !cookieMode;
  /** The text that was last read or written; undefined before the first access. */
  let lastText: string | null | undefined;
  /** Whether the last write failed, so that `login` is newer than what is stored. */
  let isUnsaved = false;
  /** The text that the last write replaced or should have replaced; undefined if it could not be read. */
  let replacedText: string | null | undefined;
  let lastAccess: Promise<unknown> = Promise.resolve();

  /** Runs accesses to the storage one after the other. */
  function access(change?: Change): Promise<StoredLogin | null> {
    const run = () => accessOnce(change);
    const result = lastAccess.then(run, run);
    lastAccess = result;
    return result;
  }

  async function accessOnce(change?: Change): Promise<StoredLogin | null> {
    try {
      lastText = await storage.get();
    } catch (error) {
      // A change is applied all the same: it may have a new refresh token, and the stored one may be spent. An unsaved
      // login counts without the read: it is newer than what is stored.
      if (!change && !isUnsaved) throw error;
    }
    // Another client has written since the failed write, and its login wins.
    if (replacedText !== undefined && replacedText !== lastText) isUnsaved = false;
    const stored = isUnsaved ? login : parseLogin(lastText, cookieMode);
    if (change) isSessionKnown = true;
    const newLogin = change ? change(stored) : stored;
    if (isUnsaved || newLogin !== stored) await write(newLogin);
    return setLogin(newLogin);
  }

  /** Never rejects. */
  async function write(newLogin: StoredLogin | null): Promise<void> {
    const text = newLogin && JSON.stringify(newLogin);
    replacedText = lastText;
    isUnsaved = true;
    try {
      await (text ? storage.set(text) : storage.remove());
      lastText = text;
      isUnsaved = false;
    } catch {
      // The refresh token in the storage may be spent, so the login in memory counts until a write succeeds.
    }
  }

  function setLogin(newLogin: StoredLogin | null): StoredLogin | null {
    if (newLogin && newLogin.stamp !== login?.stamp) receivedAtMs = monotonicReceiptMs(newLogin);
    login = newLogin;
    if (login) isSessionKnown = true;
    if (isSessionKnown) setSession(login?.session ?? null);
    return login;
  }

  const read = () => access();
  const remainingMs = (ofLogin: StoredLogin) => remainingLifetimeMs(ofLogin, receivedAtMs);
  /** For reads that nobody awaits: the next use reads again, and reports the failure. */
  const ignoreRejection = (work: Promise<unknown>) => void work.catch(() => {});

  try {
    const text = storage.get();
    if (text === null || typeof text === 'string') {
      lastText = text;
      setLogin(parseLogin(text, cookieMode));
    } else ignoreRejection(text.then(read));
  } catch {
    // The next use reads again, and reports the failure.
  }
  storage.subscribe?.(() => ignoreRejection(read()));

  return {
    session,
    subscribe,
    current: async () => (isUnsaved ? read() : (login ?? read())),
    read,
    update: access,
    remainingMs,
    // Negated, so that NaN, of a malformed login, counts as expired.
    needsRefresh: (ofLogin) =>
      ofLogin ? !(remainingMs(ofLogin) > REFRESH_AHEAD_MS) : !isSessionKnown,
  };
}
