import type {
  CallDeadline,
  CreateSessionOutcome,
  NewLogin,
  RotateOutcome,
  RotateRequest,
  SessionRecord,
  SessionRef,
  SessionStore,
} from '@latchhook/core/storage';
import type { Keyspace } from './keyspace.ts';
import type { CallScript } from './script-caller.ts';
import { createSession } from './scripts/sessions/create-session.ts';
import { isSessionLive } from './scripts/sessions/is-session-live.ts';
import { listSessions } from './scripts/sessions/list-sessions.ts';
import { revokeAllSessions } from './scripts/sessions/revoke-all-sessions.ts';
import { revokeOtherSessions } from './scripts/sessions/revoke-other-sessions.ts';
import { revokeSession } from './scripts/sessions/revoke-session.ts';
import { rotateSession } from './scripts/sessions/rotate-session.ts';

/** Sessions in Redis: each method is one script, which `create` and `list` may run several times. */
export class RedisSessionStore implements SessionStore {
  readonly #call: CallScript;
  readonly #keyspace: Keyspace;
  readonly #newDeadline: () => CallDeadline;

  constructor(call: CallScript, keyspace: Keyspace, newDeadline: () => CallDeadline) {
    this.#call = call;
    this.#keyspace = keyspace;
    this.#newDeadline = newDeadline;
  }

  create(
    session: NewLogin,
    limits: { readonly maxPerUser: number },
  ): Promise<CreateSessionOutcome> {
    const keys = this.#keyspace.ofSession(session);
    return createSession(this.#call, keys, session, limits, this.#newDeadline());
  }

  rotate(request: RotateRequest): Promise<RotateOutcome> {
    return rotateSession(this.#call, this.#keyspace.ofSession(request), request);
  }

  isLive({ userId, sessionId }: SessionRef): Promise<boolean> {
    return isSessionLive(this.#call, this.#keyspace.ofUser(userId), sessionId);
  }

  revoke({ userId, sessionId }: SessionRef): Promise<boolean> {
    return revokeSession(this.#call, this.#keyspace.ofUser(userId), sessionId);
  }

  revokeAll(userId: string): Promise<void> {
    return revokeAllSessions(this.#call, this.#keyspace.ofUser(userId));
  }

  revokeOthers({ userId, sessionId }: SessionRef): Promise<void> {
    return revokeOtherSessions(this.#call, this.#keyspace.ofUser(userId), sessionId);
  }

  list(userId: string): Promise<readonly SessionRecord[]> {
    const keyOf = (sessionId: string) => this.#keyspace.ofSession({ userId, sessionId }).session;
    const deadline = this.#newDeadline();
    return listSessions(this.#call, this.#keyspace.ofUser(userId), keyOf, deadline);
  }
}
