import type { MaybePromise } from '../../maybe-promise.ts';
import type { ChallengeStore } from '../challenge-store.ts';
import { decideAttempt } from '../decisions/decide-attempt.ts';
import { decideChallengeCreation } from '../decisions/decide-challenge-creation.ts';
import { decideCompletion } from '../decisions/decide-completion.ts';
import { decideRotation } from '../decisions/decide-rotation.ts';
import { decideSessionCreation } from '../decisions/decide-session-creation.ts';
import { unlockFactor } from '../decisions/factor-lock.ts';
import { isSessionAlive, liveSessions, type SessionState } from '../decisions/session-state.ts';
import { LONGEST_PENDING_MS } from '../longest-pending.ts';
import { type LoginStoreOutcome, storeLogin } from '../remote/store-login.ts';
import type { SessionRef, SessionStore } from '../session-store.ts';
import type { EngineCalls } from './engine-calls.ts';
import { sessionKey, UserRows, userPartition } from './user-rows.ts';

type OfUser<Result> = (user: UserRows, nowMs: number) => Promise<Result>;

/** Sessions and challenges on an engine: each method is one transaction of the user's partition. */
export function loginsOn(calls: EngineCalls): {
  readonly sessions: SessionStore;
  readonly challenges: ChallengeStore;
} {
  function ofUser<Result>(
    userId: string,
    transition: OfUser<Result>,
    firstKey?: string,
  ): Promise<Result> {
    return calls.transact(
      userPartition(userId),
      (rows, nowMs) => transition(new UserRows(rows, nowMs), nowMs),
      calls.newDeadline(),
      firstKey,
    );
  }

  function ofSession<Result>(
    { userId, sessionId }: SessionRef,
    transition: (
      session: SessionState | undefined,
      user: UserRows,
      nowMs: number,
    ) => MaybePromise<Result>,
  ): Promise<Result> {
    return ofUser(
      userId,
      async (user, nowMs) => transition(await user.session(sessionId), user, nowMs),
      sessionKey(sessionId),
    );
  }

  /** Stores a login, and adds the time that the call has waited to the login's age. */
  function store<
    Login extends { readonly userId: string; readonly authenticationMs: number },
    Answer,
  >(login: Login, transition: (aged: Login, user: UserRows, nowMs: number) => Promise<Answer>) {
    const deadline = calls.newDeadline();
    return storeLogin<Answer>(
      login.authenticationMs,
      async ({ authenticationMs, earliestBeginMs }) => {
        const { answer, tookMs } = await calls.timed(
          userPartition(login.userId),
          async (rows, nowMs): Promise<LoginStoreOutcome<Answer>> => {
            const user = new UserRows(rows, nowMs);
            const revokedAllAtMs = await user.revokedAllAtMs();
            const latestMs = nowMs - authenticationMs;
            const earliestMs = earliestBeginMs ?? latestMs - LONGEST_PENDING_MS;
            if (
              revokedAllAtMs !== undefined &&
              latestMs > revokedAllAtMs &&
              earliestMs <= revokedAllAtMs
            ) {
              return { outcome: 'needs_retry', nowMs, tookMs: 0 };
            }
            const stored = await transition({ ...login, authenticationMs }, user, nowMs);
            return { outcome: 'created', stored };
          },
          deadline,
        );
        return answer.outcome === 'needs_retry' ? { ...answer, tookMs } : answer;
      },
    );
  }

  async function endAllBut(userId: string, keptId: string | null): Promise<void> {
    await ofUser(userId, async (user, nowMs) => {
      await user.recordRevocation();
      const sessions = await user.sessions();
      const ended = sessions.filter(
        (session) => !(session.record.sessionId === keptId && isSessionAlive(session, nowMs)),
      );
      await user.putSessions(...ended.map((session) => ({ ...session, isEnded: true })));
      for (const challenge of await user.challenges()) {
        if (!challenge.isEnded) await user.putChallenge({ ...challenge, isEnded: true });
      }
    });
  }

  const sessions: SessionStore = {
    async create(login, limits) {
      const created = await store(login, async (aged, user, nowMs) => {
        const found = {
          sessions: await user.sessionsAnd(login.sessionId),
          revokedAllAtMs: await user.revokedAllAtMs(),
        };
        const { answer, change } = decideSessionCreation(found, aged, limits, nowMs);
        if (change !== null) await user.putSessions(...change);
        return answer;
      });
      return created.outcome === 'created' ? created.stored : created;
    },

    rotate: (request) =>
      ofSession(request, async (session, user, nowMs) => {
        const { answer, change } = decideRotation(session, request, nowMs);
        if (change !== null) await user.putSessions(change);
        return answer;
      }),

    isLive: (ref) =>
      ofSession(
        ref,
        (session, _, nowMs) => session !== undefined && isSessionAlive(session, nowMs),
      ),

    revoke: (ref) =>
      ofSession(ref, async (session, user, nowMs) => {
        if (session === undefined || session.isEnded) return false;
        await user.putSessions({ ...session, isEnded: true });
        return isSessionAlive(session, nowMs);
      }),

    revokeAll: (userId) => endAllBut(userId, null),
    revokeOthers: ({ userId, sessionId }) => endAllBut(userId, sessionId),

    list: (userId) =>
      ofUser(userId, async (user, nowMs) =>
        liveSessions(await user.sessions(), nowMs).map(({ record }) => record),
      ),
  };

  const challenges: ChallengeStore = {
    async create(challenge) {
      const created = await store(challenge, async (aged, user, nowMs) => {
        const found = {
          challenge: await user.challenge(challenge.challengeId),
          revokedAllAtMs: await user.revokedAllAtMs(),
        };
        const { answer, change } = decideChallengeCreation(found, aged, nowMs);
        if (change !== null) await user.putChallenge(change);
        return answer;
      });
      return created.outcome === 'created' ? created.stored : created;
    },

    reserveAttempt: ({ userId, challengeId }, limits) =>
      ofUser(userId, async (user, nowMs) => {
        const found = {
          challenge: await user.challenge(challengeId),
          factorLock: await user.factorLock(),
        };
        const { answer, change } = decideAttempt(found, limits, nowMs);
        if (change !== null) {
          await user.putChallenge(change.challenge);
          await user.putFactorLock(change.factorLock);
        }
        return answer;
      }),

    complete: (request) =>
      ofUser(request.userId, async (user, nowMs) => {
        const found = {
          challenge: await user.challenge(request.challengeId),
          factorLock: await user.factorLock(),
          sessions: await user.sessionsAnd(request.session.sessionId),
        };
        const { answer, change } = decideCompletion(found, request, nowMs);
        if (change !== null) {
          await user.putChallenge(change.challenge);
          await user.putFactorLock(change.factorLock);
          await user.putSessions(...change.sessions);
        }
        return answer;
      }),

    unlock: (userId) =>
      ofUser(userId, async (user) => user.putFactorLock(unlockFactor(await user.factorLock()))),
  };

  return { sessions, challenges };
}
