import type { MaybePromise } from '../../maybe-promise.ts';
import type { ChallengeStore } from '../challenge-store.ts';
import { decideAttempt } from '../decisions/decide-attempt.ts';
import { decideChallengeCreation } from '../decisions/decide-challenge-creation.ts';
import { decideCompletion } from '../decisions/decide-completion.ts';
import { decideRotation } from '../decisions/decide-rotation.ts';
import { decideSessionCreation } from '../decisions/decide-session-creation.ts';
import { unlockFactor } from '../decisions/factor-lock.ts';
import { isStaleLogin } from '../decisions/is-stale-login.ts';
import { isSessionAlive, liveSessions, type SessionState } from '../decisions/session-state.ts';
import { LONGEST_PENDING_MS } from '../longest-pending.ts';
import { type LoginAge, storeLogin } from '../remote/store-login.ts';
import type { SessionRef, SessionStore } from '../session-store.ts';
import type { EngineCalls } from './engine-calls.ts';
import { sessionKey, UserRows, userPartition } from './user-rows.ts';

type UserTransition<Result> = (user: UserRows, nowMs: number) => Promise<Result>;

/** Sessions and challenges on an engine: each method is one transaction of the user's partition. */
export function loginsOn(calls: EngineCalls): {
  readonly sessions: SessionStore;
  readonly challenges: ChallengeStore;
} {
  function transactOnUser<Result>(
    userId: string,
    transition: UserTransition<Result>,
    firstKey?: string,
  ): Promise<Result> {
    return calls.transact(
      userPartition(userId),
      (rows, nowMs) => transition(new UserRows(rows, nowMs), nowMs),
      calls.newDeadline(),
      firstKey,
    );
  }

  function transactOnSession<Result>(
    { userId, sessionId }: SessionRef,
    transition: (
      session: SessionState | undefined,
      user: UserRows,
      nowMs: number,
    ) => MaybePromise<Result>,
  ): Promise<Result> {
    return transactOnUser(
      userId,
      async (user, nowMs) => transition(await user.session(sessionId), user, nowMs),
      sessionKey(sessionId),
    );
  }

  /**
   * Stores a login by {@link storeLogin}. `transition` gets the login with its age at the arrival of the call, and the
   * time of the user's last `revokeAll`.
   */
  async function storeAged<
    Login extends { readonly userId: string; readonly loginAgeMs: number },
    Outcome,
  >(
    login: Login,
    transition: (
      aged: Login,
      user: UserRows,
      times: { readonly revokedAllAtMs: number | undefined; readonly nowMs: number },
    ) => Promise<Outcome>,
  ): Promise<Outcome | { readonly outcome: 'stale_login' }> {
    const deadline = calls.newDeadline();
    const result = await storeLogin<Outcome>(
      login.loginAgeMs,
      async ({ loginAgeMs, earliestBeginMs }) => {
        const { answer, tookMs } = await calls.transactTimed(
          userPartition(login.userId),
          async (rows, nowMs) => {
            const user = new UserRows(rows, nowMs);
            const revokedAllAtMs = await user.revokedAllAtMs();
            const aged = { ...login, loginAgeMs };
            if (isInDoubt({ loginAgeMs, earliestBeginMs }, revokedAllAtMs, nowMs)) {
              return { outcome: 'needs_retry', nowMs } as const;
            }
            // Not in doubt, so this round decides: its outcome, in `stored`, is that of the call, even `stale_login`.
            const stored = await transition(aged, user, { revokedAllAtMs, nowMs });
            return { outcome: 'created', stored } as const;
          },
          deadline,
        );
        return answer.outcome === 'needs_retry' ? { ...answer, tookMs } : answer;
      },
    );
    return result.outcome === 'created' ? result.stored : result;
  }

  /** Ends all sessions but one, or all of them, and all challenges of a user. */
  async function endAllBut(userId: string, sessionIdToKeep: string | null): Promise<void> {
    await transactOnUser(userId, async (user, nowMs) => {
      await user.recordRevocation();
      for (const session of await user.sessions()) {
        const isKept =
          session.record.sessionId === sessionIdToKeep && isSessionAlive(session, nowMs);
        if (!isKept) await user.putSession({ ...session, isEnded: true });
      }
      for (const challenge of await user.challenges()) {
        if (!challenge.isEnded) await user.putChallenge({ ...challenge, isEnded: true });
      }
    });
  }

  const sessions: SessionStore = {
    create: (login, limits) =>
      storeAged(login, async (aged, user, { revokedAllAtMs, nowMs }) => {
        const sessions = await user.sessionsIncluding(login.sessionId);
        const stored = { sessions, revokedAllAtMs };
        const { outcome, change } = decideSessionCreation(stored, aged, limits, nowMs);
        if (change !== null) await user.putSessions(change);
        return outcome;
      }),

    rotate: (request) =>
      transactOnSession(request, async (session, user, nowMs) => {
        const { outcome, change } = decideRotation(session, request, nowMs);
        if (change !== null) await user.putSession(change);
        return outcome;
      }),

    isLive: (ref) =>
      transactOnSession(
        ref,
        (session, _, nowMs) => session !== undefined && isSessionAlive(session, nowMs),
      ),

    revoke: (ref) =>
      transactOnSession(ref, async (session, user, nowMs) => {
        if (session === undefined || session.isEnded) return false;
        await user.putSession({ ...session, isEnded: true });
        return isSessionAlive(session, nowMs);
      }),

    revokeAll: (userId) => endAllBut(userId, null),
    revokeOthers: ({ userId, sessionId }) => endAllBut(userId, sessionId),

    list: (userId) =>
      transactOnUser(userId, async (user, nowMs) =>
        liveSessions(await user.sessions(), nowMs).map(({ record }) => record),
      ),
  };

  const challenges: ChallengeStore = {
    create: (challenge) =>
      storeAged(challenge, async (aged, user, { revokedAllAtMs, nowMs }) => {
        const existing = await user.challenge(challenge.challengeId);
        const stored = { challenge: existing, revokedAllAtMs };
        const { outcome, change } = decideChallengeCreation(stored, aged, nowMs);
        if (change !== null) await user.putChallenge(change);
        return outcome;
      }),

    reserveAttempt: ({ userId, challengeId }, limits) =>
      transactOnUser(userId, async (user, nowMs) => {
        const stored = {
          challenge: await user.challenge(challengeId),
          factorLock: await user.factorLock(),
        };
        const { outcome, change } = decideAttempt(stored, limits, nowMs);
        if (change !== null) {
          await user.putChallenge(change.challenge);
          await user.putFactorLock(change.factorLock);
        }
        if (outcome.outcome !== 'reserved') return outcome;
        // By the wall clock, because another device has made the code by its own, and the end of the lock is shown.
        const wallClockMs = calls.wallClockMs(nowMs);
        const { lockedUntilMs: untilMs } = outcome;
        const lockedUntilMs = untilMs === null ? null : untilMs - nowMs + wallClockMs;
        return { ...outcome, nowMs: wallClockMs, lockedUntilMs };
      }),

    complete: (request) =>
      transactOnUser(request.userId, async (user, nowMs) => {
        const stored = {
          challenge: await user.challenge(request.challengeId),
          factorLock: await user.factorLock(),
          sessions: await user.sessionsIncluding(request.session.sessionId),
        };
        const { outcome, change } = decideCompletion(stored, request, nowMs);
        if (change !== null) {
          await user.putChallenge(change.challenge);
          await user.putFactorLock(change.factorLock);
          await user.putSessions(change.sessions);
        }
        return outcome;
      }),

    unlock: (userId) =>
      transactOnUser(userId, async (user) =>
        user.putFactorLock(unlockFactor(await user.factorLock())),
      ),
  };

  return { sessions, challenges };
}

/** Whether it is unknown if a login began before the user's last `revokeAll`. */
function isInDoubt(login: LoginAge, revokedAllAtMs: number | undefined, nowMs: number): boolean {
  if (revokedAllAtMs === undefined || isStaleLogin(login, revokedAllAtMs, nowMs)) return false;
  const { earliestBeginMs, loginAgeMs } = login;
  return (earliestBeginMs ?? nowMs - loginAgeMs - LONGEST_PENDING_MS) <= revokedAllAtMs;
}
