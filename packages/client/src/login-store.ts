import type { ClientStorage } from './client-storage.ts';
import { type AccountId, parseLogin, type Session, type StoredLogin } from './stored-login.ts';

/** How long before expiry an access token is refreshed, ms. */
const AHEAD_MS = 30_000;

/** Null: logged out. Undefined: not known yet, while the storage is read for the first time. */
export type SessionState<Id extends AccountId = number> = Session<Id> | null | undefined;

/** The login of a client: as it is stored and as it was last read. */
export interface LoginStore {
  /** As last read. The same object until it changes. */
  session(): SessionState<AccountId>;
  subscribe(listener: (session: SessionState<AccountId>) => void): () => void;
  /** As last read, or as stored if none was. */
  current(): Promise<StoredLogin | null>;
  /** As stored. */
  read(): Promise<StoredLogin | null>;
  /**
   * Applies `change` to the stored login, and resolves to the result. The same login is not written.
   *
   * Atomicity: no other access of this client comes between.
   */
  update(change: (stored: StoredLogin | null) => StoredLogin | null): Promise<StoredLogin | null>;
  /** How long the access token is still valid, ms. */
  remainingMs(login: StoredLogin): number;
  /** Whether it need not be refreshed yet. */
  isFresh(login: StoredLogin): boolean;
  /** Whether an empty storage means that nobody is logged in. */
  isKnown(): boolean;
}

/** @param inCookies - whether the tokens are in cookies, which may have a login that is not stored */
export function createLoginStore(storage: ClientStorage, inCookies: boolean = false): LoginStore {
  const parse = (text: string | null) => parseLogin(text, inCookies);
  const listeners = new Set<(session: SessionState<AccountId>) => void>();
  let login: StoredLogin | null | undefined;
  let session: SessionState<AccountId>;
  let isKnown = !inCookies;
  /** When the last read access token was received, monotonic. */
  let receivedAtMs = 0;
  /** A failed write, and the value it was to replace. */
  let unsaved:
    | { readonly over: string | null | undefined; readonly login: StoredLogin | null }
    | undefined;
  /** The last text that was read or written; undefined before that. */
  let lastText: string | null | undefined;
  let lastTurn: Promise<unknown> = Promise.resolve();

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = lastTurn.then(work, work);
    lastTurn = turn;
    return turn;
  }

  function see(seen: StoredLogin | null): StoredLogin | null {
    if (seen && seen.stamp !== login?.stamp) {
      const ageMs = Date.now() - seen.receivedAtMs;
      // In the future: the clock was set back by an unknown time.
      receivedAtMs = performance.now() - (ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs);
    }
    login = seen;
    if (seen) isKnown = true;
    const next = seen?.session ?? (isKnown ? null : undefined);
    if (JSON.stringify(next) !== JSON.stringify(session)) {
      session = next;
      // Asynchronous, so that a listener's error does not fail a refresh.
      for (const listener of listeners) void Promise.resolve(next).then(listener);
    }
    return seen;
  }

  async function write(over: string | null | undefined, next: StoredLogin | null): Promise<void> {
    const text = next && JSON.stringify(next);
    unsaved = { over, login: next };
    try {
      await (text ? storage.set(text) : storage.remove());
      lastText = text;
      unsaved = undefined;
    } catch {
      // The value to replace may be spent, so this one is used until it is saved.
    }
  }

  const asIs = (stored: StoredLogin | null) => stored;
  const read: LoginStore['read'] = () => inStorage(asIs);

  const update: LoginStore['update'] = (change) =>
    inStorage((stored) => {
      isKnown = true;
      return change(stored);
    });

  const inStorage: LoginStore['update'] = (change) =>
    inTurn(async () => {
      try {
        lastText = await storage.get();
      } catch (error) {
        // The server's response is kept anyway: the value to replace may be spent.
        if (change === asIs && !unsaved) throw error;
      }
      const text = lastText;
      // Another client has written since.
      if (unsaved?.over !== undefined && unsaved.over !== text) unsaved = undefined;
      const stored = unsaved ? unsaved.login : parse(text ?? null);
      const next = change(stored);
      if (unsaved || next !== stored) await write(text, next);
      return see(next);
    });

  const remainingMs: LoginStore['remainingMs'] = (one) => {
    // The monotonic clock may stop during sleep, and the other may be set.
    const ageMs = Math.max(performance.now() - receivedAtMs, Date.now() - one.receivedAtMs);
    return one.expiresInSeconds * 1000 - ageMs;
  };

  try {
    const first = storage.get();
    if (first === null || typeof first === 'string') {
      lastText = first;
      see(parse(first));
    } else background(first.then(read));
  } catch {
    // See `background`.
  }
  storage.subscribe?.(() => background(read()));

  return {
    session: () => session,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    current: async () => (unsaved ? read() : (login ?? read())),
    read,
    update,
    remainingMs,
    isFresh: (one) => remainingMs(one) > AHEAD_MS,
    isKnown: () => isKnown,
  };
}

/** A failure is retried at the next use, which reports it. */
function background(work: Promise<unknown>): void {
  work.catch(() => {});
}
