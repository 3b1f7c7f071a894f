import type { ClientStorage } from './client-storage.ts';
import { type AccountId, parseLogin, type Session, type StoredLogin } from './stored-login.ts';

/** How long before its end an access token is exchanged, ms. */
const AHEAD_MS = 30_000;

/** Null: logged out. Undefined: not known yet, while the storage is read for the first time. */
export type SessionState<Id extends AccountId = number> = Session<Id> | null | undefined;

/** The login of a client: what is stored, what of it was seen last, and who hears of changes. */
export interface LoginStore {
  /** As seen last. The same object until it changes. */
  session(): SessionState<AccountId>;
  subscribe(listener: (session: SessionState<AccountId>) => void): () => void;
  /** As seen last, or as stored where none was seen. */
  current(): Promise<StoredLogin | null>;
  /** As stored. */
  read(): Promise<StoredLogin | null>;
  /**
   * Stores what `change` makes of what is stored, and resolves to it. Nothing is written where that is the same.
   *
   * Atomicity: nothing else that this client does to its storage comes between.
   */
  update(change: (stored: StoredLogin | null) => StoredLogin | null): Promise<StoredLogin | null>;
  /** How long the access token is still good for, ms; none is for longer than it was given. */
  remainingMs(login: StoredLogin): number;
  /** Whether it need not be refreshed yet. */
  isFresh(login: StoredLogin): boolean;
  /** Whether nothing stored means that nobody is logged in. */
  isKnown(): boolean;
}

/** @param inCookies - whether cookies have the tokens, and may have a login of which nothing is stored */
export function createLoginStore(storage: ClientStorage, inCookies: boolean = false): LoginStore {
  const parse = (text: string | null) => parseLogin(text, inCookies);
  const listeners = new Set<(session: SessionState<AccountId>) => void>();
  let login: StoredLogin | null | undefined;
  let session: SessionState<AccountId>;
  let isKnown = !inCookies;
  /** When the access token seen last was received, by the monotonic clock. */
  let receivedAtMs = 0;
  /** A write that has failed, and what it was to replace. */
  let unsaved:
    | { readonly over: string | null | undefined; readonly login: StoredLogin | null }
    | undefined;
  /** What was stored when the storage was read or written last; undefined before that. */
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
      // From the future: the clock was set back, by nobody knows how much.
      receivedAtMs = performance.now() - (ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs);
    }
    login = seen;
    if (seen) isKnown = true;
    const next = seen?.session ?? (isKnown ? null : undefined);
    if (JSON.stringify(next) !== JSON.stringify(session)) {
      session = next;
      // In its own turn: what a listener throws is no fault of a refresh.
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
      // What it would have replaced may be used up, so that this is what counts until it is saved.
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
        // What the server has answered counts all the same: what it is to replace may be used up.
        if (change === asIs && !unsaved) throw error;
      }
      const text = lastText;
      // Somebody else has stored something since.
      if (unsaved?.over !== undefined && unsaved.over !== text) unsaved = undefined;
      const stored = unsaved ? unsaved.login : parse(text ?? null);
      const next = change(stored);
      if (unsaved || next !== stored) await write(text, next);
      return see(next);
    });

  const remainingMs: LoginStore['remainingMs'] = (one) => {
    // The monotonic clock may stand still while the device sleeps, and the other one may be set.
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
    // As in the background.
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

/** What fails here is tried again at the next use, which fails with the reason. */
function background(work: Promise<unknown>): void {
  work.catch(() => {});
}
