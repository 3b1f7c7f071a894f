import type { ChallengeState } from '../decisions/challenge-state.ts';
import { type FactorLock, NEW_FACTOR_LOCK } from '../decisions/factor-lock.ts';
import { type SessionState, sessionEndsAtMs } from '../decisions/session-state.ts';
import { LONGEST_PENDING_MS } from '../longest-pending.ts';
import { keyOf, sortKeyOf } from './engine-calls.ts';
import { readValue, readValues } from './row-values.ts';
import type { Rows } from './storage-engine.ts';

/** How long the time of a `revokeAll` is stored, ms: longer than any login takes. */
const REVOCATION_KEPT_MS = 3_600_000;

/**
 * How long an ended session is stored, ms, so that a later refresh is logged as `revoked` rather than `unknown`. For
 * recognising repeated calls, `LONGEST_PENDING_MS` would be enough.
 */
const ENDED_KEPT_MS = 3_600_000;

/** The sort key of a session is the time of its login, ms, times this. Logins of one millisecond get the next ones. */
const SORT_KEYS_PER_MS = 1000;

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
  sessions(): Promise<readonly SessionState[]> {
    return readValues(this.#rows, 'session');
  }

  /** Like {@link sessions}, but also returns this session if it was ended: creating it again must not revive it. */
  async sessionsIncluding(sessionId: string): Promise<readonly SessionState[]> {
    const sessions = await this.sessions();
    const session = await this.session(sessionId);
    return session?.isEnded ? [...sessions, session] : sessions;
  }

  session(sessionId: string): Promise<SessionState | undefined> {
    return readValue(this.#rows, sessionKey(sessionId));
  }

  async putSessions(sessions: readonly SessionState[]): Promise<void> {
    for (const session of sessions) await this.putSession(session);
  }

  async putSession(session: SessionState): Promise<void> {
    const { record, idleMs, isEnded } = session;
    const key = sessionKey(record.sessionId);
    const endsAtMs = Math.max(sessionEndsAtMs(record, idleMs), this.#nowMs) + LONGEST_PENDING_MS;
    if (isEnded) {
      const expiresAtMs = Math.min(endsAtMs, this.#nowMs + ENDED_KEPT_MS);
      await this.#rows.put({ key, value: session, indexes: {}, expiresAtMs });
      return;
    }
    const stored = await this.#rows.get(key);
    const sortKey = stored?.indexes['session'] ?? (await this.#nextSortKey());
    const indexes = { session: sortKey };
    await this.#rows.put({ key, value: session, indexes, expiresAtMs: endsAtMs });
  }

  challenges(): Promise<readonly ChallengeState[]> {
    return readValues(this.#rows, 'challenge');
  }

  challenge(challengeId: string): Promise<ChallengeState | undefined> {
    return readValue(this.#rows, keyOf('challenge', challengeId));
  }

  async putChallenge(challenge: ChallengeState): Promise<void> {
    const { challengeId, expiresAtMs } = challenge;
    await this.#rows.put({
      key: keyOf('challenge', challengeId),
      value: challenge,
      indexes: { challenge: sortKeyOf(expiresAtMs) },
      expiresAtMs: expiresAtMs + LONGEST_PENDING_MS,
    });
  }

  async factorLock(): Promise<FactorLock> {
    return (await readValue<FactorLock>(this.#rows, 'factor-lock')) ?? NEW_FACTOR_LOCK;
  }

  async putFactorLock(lock: FactorLock): Promise<void> {
    await this.#rows.put({ key: 'factor-lock', value: lock, indexes: {}, expiresAtMs: null });
  }

  /** When the user's sessions were last revoked, ms; `undefined`: never, or too long ago to matter. */
  revokedAllAtMs(): Promise<number | undefined> {
    return readValue(this.#rows, 'revocation');
  }

  /** Stores the time of a `revokeAll`, unless the stored time is later because the clock was set back. */
  async recordRevocation(): Promise<void> {
    const value = Math.max(this.#nowMs, (await this.revokedAllAtMs()) ?? 0);
    const expiresAtMs = value + REVOCATION_KEPT_MS;
    await this.#rows.put({ key: 'revocation', value, indexes: {}, expiresAtMs });
  }

  /** A sort key after those of all other sessions, even if the clock was set back or several begin in a millisecond. */
  async #nextSortKey(): Promise<string> {
    const greatest = (await this.#rows.range('session')).at(-1)?.indexes['session'] ?? '0';
    return sortKeyOf(Math.max(this.#nowMs * SORT_KEYS_PER_MS, Number(greatest) + 1));
  }
}
