import type { CreateChallengeOutcome, NewChallenge } from '../challenge-store.ts';
import type { ChallengeState } from './challenge-state.ts';
import { type Decision, unchanged } from './decision.ts';
import { isStaleLogin } from './is-stale-login.ts';

/**
 * Decides `create` of challenges: whether the login is stale, whether its challenge already exists, and how a new one
 * begins. For authors of storages.
 *
 * Atomicity: call it within the transaction that stores the change; see {@link Decision}.
 *
 * @param stored - the challenge with this id, if the store has one, and the time of the user's last `revokeAll` or
 *   `revokeOthers`, if there was one
 * @param request - its `loginAgeMs` includes the time that the call has waited
 */
export function decideChallengeCreation(
  stored: {
    readonly challenge: ChallengeState | undefined;
    readonly revokedAllAtMs: number | undefined;
  },
  request: NewChallenge,
  nowMs: number,
): Decision<CreateChallengeOutcome, ChallengeState> {
  if (isStaleLogin(request, stored.revokedAllAtMs, nowMs)) {
    return unchanged({ outcome: 'stale_login' });
  }
  const change = stored.challenge === undefined ? firstState(request, nowMs) : null;
  return { outcome: { outcome: 'created' }, change };
}

/** Copies field by field because the caller's object may have more fields. */
function firstState({ userId, challengeId, ttlMs, context }: NewChallenge, nowMs: number) {
  const { accountId, version, authTimeMs, amr, actor } = context;
  return {
    userId,
    challengeId,
    context: { accountId, version, authTimeMs, amr: [...amr], actor },
    expiresAtMs: nowMs + ttlMs,
    attempts: 0,
    completedBy: null,
    isEnded: false,
  };
}
