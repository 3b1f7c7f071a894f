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
import type { CallFunction } from './function-caller.ts';
import { createSession } from './functions/sessions/create-session.ts';
import { isSessionLive } from './functions/sessions/is-session-live.ts';
import { listSessions } from './functions/sessions/list-sessions.ts';
import { revokeSession } from './functions/sessions/revoke-session.ts';
import { revokeAllSessions, revokeOtherSessions } from './functions/sessions/revoke-sessions.ts';
import { rotateSession } from './functions/sessions/rotate-session.ts';

/** Sessions in PostgreSQL: each method is one call of a function, which `create` may make several times. */
export class PostgresSessionStore implements SessionStore {
  readonly #call: CallFunction;
  readonly #newDeadline: () => CallDeadline;

  constructor(call: CallFunction, newDeadline: () => CallDeadline) {
    this.#call = call;
    this.#newDeadline = newDeadline;
  }

  create(
    session: NewLogin,
    limits: { readonly maxPerUser: number },
  ): Promise<CreateSessionOutcome> {
    return createSession(this.#call, session, limits, this.#newDeadline());
  }

  rotate(request: RotateRequest): Promise<RotateOutcome> {
    return rotateSession(this.#call, request);
  }

  isLive(ref: SessionRef): Promise<boolean> {
    return isSessionLive(this.#call, ref);
  }

  revoke(ref: SessionRef): Promise<boolean> {
    return revokeSession(this.#call, ref);
  }

  revokeAll(userId: string): Promise<void> {
    return revokeAllSessions(this.#call, userId);
  }

  revokeOthers(spared: SessionRef): Promise<void> {
    return revokeOtherSessions(this.#call, spared);
  }

  list(userId: string): Promise<readonly SessionRecord[]> {
    return listSessions(this.#call, userId);
  }
}
