import type { Clock } from '../../ports/clock.ts';
import type { ChallengeContext } from '../challenge-store.ts';
import type { SessionRecord } from '../session-store.ts';

/** One login. */
export interface SessionState {
  /** Replaced by each transition, never changed in place, so that what was answered stays as it was. */
  record: SessionRecord;
  /** The user's epoch when the session began, or was spared; it lives only as long as that is the user's epoch. */
  epoch: number;
  /** As the newest login or rotation had it. */
  idleMs: number;
  /** Ended by `revoke`, by reuse, or by the cap. Kept, so that a re-sent `create` cannot revive it. */
  ended: boolean;
  /** How often the predecessor of the newest generation was answered with it. */
  replays: number;
}

/** One pending challenge, or one that was answered: kept, so that a re-sent command finds it so. */
export interface ChallengeState {
  readonly context: ChallengeContext;
  readonly expiresAtMs: number;
  readonly epoch: number;
  attempts: number;
  /** The session that the right code has started, or `null`. */
  completedBy: string | null;
}

/** What guards the second factor, over all challenges. */
export interface FactorState {
  /** Attempts since the last right code. Each counts as failed until `complete` says otherwise. */
  failures: number;
  lockedUntilMs: number;
  suspended: boolean;
  lastTotpStep: number;
}

/** Everything about one user, in one place: a transition reads and writes nothing else. */
export interface UserState {
  /** Moved on by `revokeAll`: whatever carries an older one is over. */
  epoch: number;
  /** When it was last moved on. Logins that began by then are refused; `-Infinity` refuses none. */
  revokedAllAtMs: number;
  readonly sessions: Map<string, SessionState>;
  readonly challenges: Map<string, ChallengeState>;
  readonly factor: FactorState;
}

/** More than one, or users that come once each would pile up as fast as they are forgotten. */
const SWEPT_PER_OPENING = 2;

/** A session that ended is told from an unknown one for the log's sake only, so a few will do. */
const ENDED_SESSIONS_KEPT = 100;

/** For so long a `revokeAll` is remembered on its own account: no login is under way for an hour. */
const REVOCATION_KEPT_MS = 3_600_000;

/**
 * All users, by their ids. Memory stays in proportion to what is alive without a timer, which would keep
 * the process from ending: whoever adds something also forgets what is over of two other users.
 *
 * A user whose factor has something to remember (failures, the last TOTP step) is kept for good.
 */
export class UserStates {
  readonly #clock: Clock;
  /** In the order in which they were looked at for what is over. */
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
      epoch: 0,
      revokedAllAtMs: Number.NEGATIVE_INFINITY,
      sessions: new Map(),
      challenges: new Map(),
      factor: { failures: 0, lockedUntilMs: 0, suspended: false, lastTotpStep: 0 },
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
    if (nowMs >= endsAtMs(session)) user.sessions.delete(sessionId);
    else if (!isAlive(user, session, nowMs)) ended.push(sessionId);
  }
  const excess = Math.max(0, ended.length - ENDED_SESSIONS_KEPT);
  for (const sessionId of ended.slice(0, excess)) user.sessions.delete(sessionId);
  for (const [challengeId, challenge] of user.challenges) {
    if (nowMs >= challenge.expiresAtMs) user.challenges.delete(challengeId);
  }
}

function hasSomethingLeft(user: UserState, nowMs: number): boolean {
  const { sessions, challenges, factor } = user;
  if (nowMs - user.revokedAllAtMs < REVOCATION_KEPT_MS) return true;
  return sessions.size > 0 || challenges.size > 0 || factor.failures > 0 || factor.lastTotpStep > 0;
}

function endsAtMs({ record, idleMs }: SessionState): number {
  return Math.min(record.expiresAtMs, record.rotatedAtMs + idleMs);
}

/** Whether a login began before the last `revokeAll`, or in the same millisecond, which may be before. */
export function isSuperseded(
  user: UserState,
  { authenticationMs }: { readonly authenticationMs: number },
  nowMs: number,
): boolean {
  return nowMs - authenticationMs <= user.revokedAllAtMs;
}

/** Whether a session is neither ended, nor of an older epoch, nor past its time. */
export function isAlive(user: UserState, session: SessionState, nowMs: number): boolean {
  return !session.ended && session.epoch === user.epoch && nowMs < endsAtMs(session);
}
