import type { Clock } from '../../ports/clock.ts';
import { decideRotation } from '../decisions/decide-rotation.ts';
import { decideSessionCreation } from '../decisions/decide-session-creation.ts';
import { isSessionAlive, liveSessions } from '../decisions/session-state.ts';
import type {
  CreateSessionOutcome,
  NewLogin,
  RotateOutcome,
  RotateRequest,
  SessionRecord,
  SessionRef,
  SessionStore,
} from '../session-store.ts';
import type { UserStates } from './user-states.ts';

/**
 * Sessions in memory. No method awaits anything: so each runs in one turn of the event loop, and is the atomic
 * transition that the contract demands, as a script is for Redis.
 */
export class MemorySessionStore implements SessionStore {
  readonly #users: UserStates;
  readonly #clock: Clock;

  constructor(users: UserStates, clock: Clock) {
    this.#users = users;
    this.#clock = clock;
  }

  async create(
    session: NewLogin,
    limits: { readonly maxPerUser: number },
  ): Promise<CreateSessionOutcome> {
    const nowMs = this.#clock.nowMs();
    const user = this.#users.open(session.userId);
    const { sessions, revokedAllAtMs } = user;
    const found = { sessions: [...sessions.values()], revokedAllAtMs };
    const { answer, change } = decideSessionCreation(found, session, limits, nowMs);
    for (const changed of change ?? []) sessions.set(changed.record.sessionId, changed);
    return answer;
  }

  async rotate(request: RotateRequest): Promise<RotateOutcome> {
    const sessions = this.#users.find(request.userId)?.sessions;
    const session = sessions?.get(request.sessionId);
    const { answer, change } = decideRotation(session, request, this.#clock.nowMs());
    if (change !== null) sessions?.set(request.sessionId, change);
    return answer;
  }

  async isLive({ userId, sessionId }: SessionRef): Promise<boolean> {
    const session = this.#users.find(userId)?.sessions.get(sessionId);
    return session !== undefined && isSessionAlive(session, this.#clock.nowMs());
  }

  async revoke({ userId, sessionId }: SessionRef): Promise<boolean> {
    const sessions = this.#users.find(userId)?.sessions;
    const session = sessions?.get(sessionId);
    if (session === undefined) return false;
    sessions?.set(sessionId, { ...session, isEnded: true });
    return isSessionAlive(session, this.#clock.nowMs());
  }

  async revokeAll(userId: string): Promise<void> {
    this.#endAllBut(userId, null);
  }

  async revokeOthers({ userId, sessionId }: SessionRef): Promise<void> {
    this.#endAllBut(userId, sessionId);
  }

  async list(userId: string): Promise<readonly SessionRecord[]> {
    const sessions = this.#users.find(userId)?.sessions.values() ?? [];
    return liveSessions([...sessions], this.#clock.nowMs()).map(({ record }) => record);
  }

  /** One by one, since nothing can come in between here. A store where something can moves the user to a new epoch. */
  #endAllBut(userId: string, sparedId: string | null): void {
    const nowMs = this.#clock.nowMs();
    // Opens the user even if there is nothing to end: a login may be pending.
    const user = this.#users.open(userId);
    user.revokedAllAtMs = Math.max(user.revokedAllAtMs ?? 0, nowMs);
    for (const [sessionId, session] of user.sessions) {
      const isSpared = sessionId === sparedId && isSessionAlive(session, nowMs);
      if (!isSpared && !session.isEnded)
        user.sessions.set(sessionId, { ...session, isEnded: true });
    }
    for (const [challengeId, challenge] of user.challenges) {
      if (!challenge.isEnded) user.challenges.set(challengeId, { ...challenge, isEnded: true });
    }
  }
}
