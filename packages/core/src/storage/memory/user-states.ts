import type { Clock } from '../../ports/clock.ts';
import type { ChallengeState } from '../decisions/challenge-state.ts';
import { type FactorLock, NEW_FACTOR_LOCK } from '../decisions/factor-lock.ts';
import { isSessionAlive, type SessionState, sessionEndsAtMs } from '../decisions/session-state.ts';
import { LONGEST_PENDING_MS } from '../longest-pending.ts';

/** Everything about one user, in one place: a transition reads and writes nothing else. */
export interface UserState {
  /** When all sessions were last revoked; `undefined` for never. */
  revokedAllAtMs: number | undefined;
  /** In the order of creation. States are replaced, never changed in place, so that past answers stay as they were. */
  readonly sessions: Map<string, SessionState>;
  readonly challenges: Map<string, ChallengeState>;
  factorLock: FactorLock;
}

/** More than one: otherwise users who come only once would pile up as fast as they are forgotten. */
const SWEPT_PER_OPENING = 2;

/** Ended sessions are remembered so that a `create` that is sent again revives none: the newest ones are enough. */
const ENDED_SESSIONS_KEPT = 100;

/** For how long a `revokeAll` alone keeps a user in memory: no login is pending for an hour. */
const REVOCATION_KEPT_MS = 3_600_000;

/**
 * All users, by id. Memory stays proportional to what is alive, without a timer, which would keep the process from
 * ending: whatever adds something also forgets what is over of two other users.
 *
 * A user whose factor has something to remember (failures, the last TOTP step) is kept for good.
 */
export class UserStates {
  readonly #clock: Clock;
  /** In the order in which they were last swept. */
  readonly #users = new Map<string, UserState>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#users.size;
  }

  find(userId: string): UserState | undefined {
    return this.#users.get(userId);
  }

  /** The user's state, begun where there is none: for transitions that add something. */
  open(userId: string): UserState {
    for (let swept = 0; swept < SWEPT_PER_OPENING; swept += 1) this.#sweepNext();
    const known = this.#users.get(userId);
    if (known !== undefined) return known;
    const begun: UserState = {
      revokedAllAtMs: undefined,
      sessions: new Map(),
      challenges: new Map(),
      factorLock: NEW_FACTOR_LOCK,
    };
    this.#users.set(userId, begun);
    return begun;
  }

  #sweepNext(): void {
    const next = this.#users.entries().next().value;
    if (next === undefined) return;
    const [userId, user] = next;
    this.#users.delete(userId);
    const nowMs = this.#clock.nowMs();
    forgetWhatIsOver(user, nowMs);
    if (hasSomethingLeft(user, nowMs)) this.#users.set(userId, user);
  }
}

function forgetWhatIsOver(user: UserState, nowMs: number): void {
  const ended: string[] = [];
  for (const [sessionId, session] of user.sessions) {
    const endsAtMs = sessionEndsAtMs(session.record, session.idleMs);
    if (nowMs >= endsAtMs + LONGEST_PENDING_MS) user.sessions.delete(sessionId);
    else if (!isSessionAlive(session, nowMs)) ended.push(sessionId);
  }
  const excess = Math.max(0, ended.length - ENDED_SESSIONS_KEPT);
  for (const sessionId of ended.slice(0, excess)) user.sessions.delete(sessionId);
  for (const [challengeId, challenge] of user.challenges) {
    if (nowMs >= challenge.expiresAtMs + LONGEST_PENDING_MS) user.challenges.delete(challengeId);
  }
}

function hasSomethingLeft(user: UserState, nowMs: number): boolean {
  const { revokedAllAtMs, sessions, challenges, factorLock } = user;
  if (revokedAllAtMs !== undefined && nowMs - revokedAllAtMs < REVOCATION_KEPT_MS) return true;
  return (
    sessions.size > 0 ||
    challenges.size > 0 ||
    factorLock.failures > 0 ||
    factorLock.lastTotpStep > 0
  );
}
