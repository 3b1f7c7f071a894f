import type { AccountId, Session } from './stored-login.ts';

/** Null: logged out. Undefined: not known yet because the storage is being read for the first time. */
export type SessionState<Id extends AccountId = number> = Session<Id> | null | undefined;

/** The session as the app sees it, and who listens to its changes. */
export function createSessionState() {
  type Listener = (session: SessionState<AccountId>) => void;
  const listeners = new Set<Listener>();
  let session: SessionState<AccountId>;

  return {
    session: () => session,
    subscribe(listener: Listener) {
      // A new function because the same listener may subscribe twice. It may unsubscribe before it is called.
      const ownListener: Listener = (state) => {
        if (listeners.has(ownListener)) listener(state);
      };
      listeners.add(ownListener);
      return () => void listeners.delete(ownListener);
    },
    /** Keeps the current object, and calls no listener, if the new session equals it. */
    setSession(newSession: SessionState<AccountId>) {
      if (JSON.stringify(newSession) === JSON.stringify(session)) return;
      session = newSession;
      // Asynchronous, so that a listener that throws does not fail a refresh.
      for (const listener of listeners) void Promise.resolve(newSession).then(listener);
    },
  };
}
