import type { ChallengeState } from '../decisions/challenge-state.ts';
import { type FactorLock, NEW_FACTOR_LOCK } from '../decisions/factor-lock.ts';
import { type SessionState, sessionEndsAtMs } from '../decisions/session-state.ts';
import { LONGEST_PENDING_MS } from '../longest-pending.ts';
import { keyOf, placeOf } from './engine-calls.ts';
import type { Row, Rows } from './storage-engine.ts';

/** How long the time of a `revokeAll` is stored, ms: longer than any login takes. */
const REVOCATION_KEPT_MS = 3_600_000;

/**
 * How long an ended session is stored, ms, so that a later refresh is logged as `revoked` rather than `unknown`. For
 * recognising repeated calls, `LONGEST_PENDING_MS` would be enough.
 */
const ENDED_KEPT_MS = 3_600_000;

/** The partition of a user. Transitions of sessions and challenges access only this partition. */
export function userPartition(userId: string): string {
  return keyOf('user', userId);
}

/** The key of a session in the partition of its user. */
export function sessionKey(sessionId: string): string {
  return keyOf('session', sessionId);
}

/** The rows of a user's logins, within one transaction. */
export class UserRows {
  readonly #rows: Rows;
  readonly #nowMs: number;

  constructor(rows: Rows, nowMs: number) {
    this.#rows = rows;
    this.#nowMs = nowMs;
  }

  /** The sessions that have not been ended, in the order of creation. */
  async sessions(): Promise<readonly SessionState[]> {
    return (await this.#rows.range('session')).map(sessionIn);
  }

  /** Like {@link sessions}, but also returns this session if it was ended: creating it again must not revive it. */
  async sessionsIncluding(sessionId: string): Promise<readonly SessionState[]> {
    const sessions = await this.sessions();
    const session = await this.session(sessionId);
    return session?.isEnded ? [...sessions, session] : sessions;
  }

  async session(sessionId: string): Promise<SessionState | undefined> {
    const row = await this.#rows.get(sessionKey(sessionId));
    return row === null ? undefined : sessionIn(row);
  }

  async putSessions(...sessions: readonly SessionState[]): Promise<void> {
    for (const session of sessions) {
      const { record, idleMs } = session;
      const key = sessionKey(record.sessionId);
      const endsAtMs = Math.max(sessionEndsAtMs(record, idleMs), this.#nowMs) + LONGEST_PENDING_MS;
      if (session.isEnded) {
        const expiresAtMs = Math.min(endsAtMs, this.#nowMs + ENDED_KEPT_MS);
        await this.#rows.put({ key, value: { ...session }, indexes: {}, expiresAtMs });
        continue;
      }
      const stored = await this.#rows.get(key);
      const place = stored?.indexes['session'] ?? (await this.#nextPlace());
      await this.#rows.put({
        key,
        value: { ...session },
        indexes: { session: place },
        expiresAtMs: endsAtMs,
      });
    }
  }

  async challenges(): Promise<readonly ChallengeState[]> {
    return (await this.#rows.range('challenge')).map(challengeIn);
  }

  async challenge(challengeId: string): Promise<ChallengeState | undefined> {
    const row = await this.#rows.get(keyOf('challenge', challengeId));
    return row === null ? undefined : challengeIn(row);
  }

  async putChallenge(challenge: ChallengeState): Promise<void> {
    const { challengeId, expiresAtMs } = challenge;
    await this.#rows.put({
      key: keyOf('challenge', challengeId),
      value: { ...challenge },
      indexes: { challenge: placeOf(expiresAtMs) },
      expiresAtMs: expiresAtMs + LONGEST_PENDING_MS,
    });
  }

  async factorLock(): Promise<FactorLock> {
    const row = await this.#rows.get('factor-lock');
    return row === null ? NEW_FACTOR_LOCK : (row.value as FactorLock);
  }

  async putFactorLock(lock: FactorLock): Promise<void> {
    await this.#rows.put({
      key: 'factor-lock',
      value: { ...lock },
      indexes: {},
      expiresAtMs: null,
    });
  }

  /** When the user's sessions were last revoked, ms; `undefined`: never, or too long ago to matter. */
  async revokedAllAtMs(): Promise<number | undefined> {
    const row = await this.#rows.get('revocation');
    return row === null ? undefined : Number(row.value);
  }

  /**
   * Stores the time of a `revokeAll`. The time of an earlier one is kept if it is later, which it is after the clock
   * was set back.
   */
  async recordRevocation(): Promise<void> {
    const value = Math.max(this.#nowMs, (await this.revokedAllAtMs()) ?? 0);
    const expiresAtMs = value + REVOCATION_KEPT_MS;
    await this.#rows.put({ key: 'revocation', value, indexes: {}, expiresAtMs });
  }

  /** A place after those of all other sessions, even if the clock was set back. */
  async #nextPlace(): Promise<string> {
    const greatest = (await this.#rows.range('session')).at(-1)?.indexes['session'] ?? '0';
    return placeOf(Math.max(this.#nowMs * 1000, Number(greatest) + 1));
  }
}

function sessionIn({ value }: Row): SessionState {
  return value as SessionState;
}

function challengeIn({ value }: Row): ChallengeState {
  return value as ChallengeState;
}
