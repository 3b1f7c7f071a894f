import type { Clock } from '../../ports/clock.ts';
import type {
  CreateSessionOutcome,
  NewLogin,
  RotateOutcome,
  RotateRequest,
  SessionRecord,
  SessionRef,
  SessionStore,
} from '../session-store.ts';
import { startSession } from './start-session.ts';
import { isAlive, isSuperseded, type SessionState, type UserStates } from './user-states.ts';

/**
 * Sessions in memory. No method awaits anything: what runs between two turns of the event loop is the
 * atomic transition that the contract asks for, and what a script is to Redis.
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
    if (isSuperseded(user, session, nowMs)) return { outcome: 'superseded' };
    return { outcome: 'created', session: startSession(user, session, { ...limits, nowMs }) };
  }

  async rotate(request: RotateRequest): Promise<RotateOutcome> {
    const nowMs = this.#clock.nowMs();
    const user = this.#users.find(request.userId);
    const session = user?.sessions.get(request.sessionId);
    if (user === undefined || session === undefined) return { outcome: 'unknown' };
    if (session.ended || session.epoch !== user.epoch) return { outcome: 'revoked' };

    const { generation, rotatedAtMs, expiresAtMs } = session.record;
    const idleForMs = nowMs - rotatedAtMs;
    if (nowMs >= expiresAtMs || idleForMs >= request.idleMs) return { outcome: 'expired' };

    const ahead = request.generation - generation;
    if (ahead > request.rollForwardLimit) return { outcome: 'unknown' };
    if (ahead >= 0) {
      advance(session, request, nowMs);
      const outcome = ahead === 0 ? 'rotated' : 'rolled_forward';
      return { outcome, session: session.record, nowMs };
    }
    // The immediate predecessor only: with older ones let in, a thief in lock-step would never be noticed.
    if (ahead === -1 && idleForMs <= request.graceMs) {
      if (session.replays >= request.replayLimit) return { outcome: 'busy' };
      session.replays += 1;
      return { outcome: 'replayed', session: session.record, nowMs };
    }
    session.ended = true;
    return { outcome: 'reused' };
  }

  async isLive({ userId, sessionId }: SessionRef): Promise<boolean> {
    const user = this.#users.find(userId);
    const session = user?.sessions.get(sessionId);
    if (user === undefined || session === undefined) return false;
    return isAlive(user, session, this.#clock.nowMs());
  }

  async revoke({ userId, sessionId }: SessionRef): Promise<boolean> {
    const user = this.#users.find(userId);
    const session = user?.sessions.get(sessionId);
    if (user === undefined || session === undefined) return false;
    const wasAlive = isAlive(user, session, this.#clock.nowMs());
    session.ended = true;
    return wasAlive;
  }

  async revokeAll(userId: string): Promise<void> {
    this.#beginEpoch(userId);
  }

  async revokeOthers({ userId, sessionId }: SessionRef): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const user = this.#users.find(userId);
    const spared = user?.sessions.get(sessionId);
    const wasAlive = user && spared && isAlive(user, spared, nowMs);
    const epoch = this.#beginEpoch(userId);
    if (wasAlive) spared.epoch = epoch;
  }

  async list(userId: string): Promise<readonly SessionRecord[]> {
    const user = this.#users.find(userId);
    if (user === undefined) return [];
    const nowMs = this.#clock.nowMs();
    return [...user.sessions.values()]
      .filter((session) => isAlive(user, session, nowMs))
      .map((session) => session.record)
      .sort((a, b) => b.rotatedAtMs - a.rotatedAtMs);
  }

  #beginEpoch(userId: string): number {
    // Opened, though there may be nothing to end: a login of this user may be under way.
    const user = this.#users.open(userId);
    // However much there is to end: nothing that was begun before can slip past these.
    user.epoch += 1;
    user.revokedAllAtMs = this.#clock.nowMs();
    return user.epoch;
  }
}

/** The successor of the token that was presented, which may be ahead of what the store knows. */
function advance(session: SessionState, request: RotateRequest, nowMs: number): void {
  session.record = {
    ...session.record,
    generation: request.generation + 1,
    rotatedAtMs: nowMs,
  };
  session.idleMs = request.idleMs;
  session.replays = 0;
}
