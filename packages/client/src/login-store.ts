import type { ClientStorage } from './client-storage.ts';
import { parseLogin, type Session, type StoredLogin } from './stored-login.ts';

/** How long before its end an access token is exchanged, ms. */
const AHEAD_MS = 30_000;

/** Null: logged out. Undefined: not known yet, while the storage is read for the first time. */
export type SessionState = Session | null | undefined;

/** The login of a client: what is stored, what of it was seen last, and who hears of changes. */
export interface LoginStore {
  /** As seen last. The same object until it changes. */
  session(): SessionState;
  subscribe(listener: (session: SessionState) => void): () => void;
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
}

export function createLoginStore(storage: ClientStorage): LoginStore {
  const listeners = new Set<(session: SessionState) => void>();
  let login: StoredLogin | null | undefined;
  let session: SessionState;
  /** When the access token seen last was received, by the monotonic clock. */
  let receivedAtMs = 0;
  /** A write that has failed, and what it was to replace. */
  let unsaved: { readonly over: string | null; readonly login: StoredLogin | null } | undefined;
  let lastTurn: Promise<unknown> = Promise.resolve();

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = lastTurn.then(work, work);
    lastTurn = turn;
    return turn;
  }

  function see(seen: StoredLogin | null): StoredLogin | null {
    if (seen && seen.accessToken !== login?.accessToken) {
      const ageMs = Date.now() - seen.receivedAtMs;
      // From the future: the clock was set back, by nobody knows how much.
      receivedAtMs = performance.now() - (ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs);
    }
    login = seen;
    const next = seen?.session ?? null;
    if (JSON.stringify(next) !== JSON.stringify(session)) {
      session = next;
      // In a turn of its own: what a listener throws is no fault of a refresh.
      for (const listener of listeners) void Promise.resolve(next).then(listener);
    }
    return seen;
  }

  async function write(over: string | null, next: StoredLogin | null): Promise<void> {
    unsaved = { over, login: next };
    try {
      await (next ? storage.set(JSON.stringify(next)) : storage.remove());
      unsaved = undefined;
    } catch {
      // What it would have replaced may be used up, so that this is what counts until it is saved.
    }
  }

  const read: LoginStore['read'] = () => update((stored) => stored);

  const update: LoginStore['update'] = (change) =>
    inTurn(async () => {
      const text = await storage.get();
      if (unsaved?.over !== text) unsaved = undefined;
      const stored = unsaved ? unsaved.login : parseLogin(text);
      const next = change(stored);
      if (unsaved || next !== stored) await write(text, next);
      return see(next);
    });

  const remainingMs: LoginStore['remainingMs'] = (one) => {
    // The monotonic clock may stand still while the device sleeps, and the other one may be set.
    const ageMs = Math.max(performance.now() - receivedAtMs, Date.now() - one.receivedAtMs);
    return one.expiresInSeconds * 1000 - ageMs;
  };

  const first = storage.get();
  if (first === null || typeof first === 'string') see(parseLogin(first));
  else background(read());
  storage.subscribe?.(() => background(read()));

  return {
    session: () => session,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    current: async () => login ?? read(),
    read,
    update,
    remainingMs,
    isFresh: (one) => remainingMs(one) > AHEAD_MS,
  };
}

/** What fails here is tried again at the next use, which fails with the reason. */
function background(work: Promise<unknown>): void {
  work.catch(() => {});
}
