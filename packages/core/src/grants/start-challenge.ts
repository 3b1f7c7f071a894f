import type { ChallengeTokens } from '../mfa/challenge-token.ts';
import type { UserFactor } from '../mfa/user-factor.ts';
import type { Policy } from '../policy.ts';
import type { Clock } from '../ports/clock.ts';
import { randomId } from '../ports/random.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { ChallengeContext, ChallengeStore } from '../storage/challenge-store.ts';
import type { User } from '../users/users.ts';
import { type LoginAttempt, loginFailures } from './login-failures.ts';
import { type LoginStart, msSince } from './login-start.ts';

/** What a client is told that has to answer a challenge. */
export interface PendingChallenge {
  readonly challenge: string;
  readonly expiresInSeconds: number;
  readonly methods: readonly ('totp' | 'recovery_code')[];
}

/** A login whose password was right, and the factor that its user still has to show. */
export interface HalfwayLogin {
  readonly user: User;
  readonly factor: UserFactor;
  readonly attempt: LoginAttempt & Pick<ChallengeContext, 'accountId' | 'version'>;
  readonly start: LoginStart;
}

/**
 * Stores a challenge for a login that needs a second factor.
 *
 * @throws {AuthError} `invalid_grant` where `revokeAll` has overtaken the login, `temporarily_unavailable`
 */
export type StartChallenge = (login: HalfwayLogin) => Promise<PendingChallenge>;

export interface StartChallengeDeps {
  readonly challenges: Pick<ChallengeStore, 'create'>;
  readonly challengeTokens: ChallengeTokens;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

export function createStartChallenge(deps: StartChallengeDeps): StartChallenge {
  const { challenges, challengeTokens, policy, clock, emit } = deps;
  const fail = loginFailures(emit);

  return async ({ user, factor, attempt, start }) => {
    const { accountId, version, origin } = attempt;
    const ref = { userId: user.id, challengeId: randomId() };
    const { outcome } = await challenges.create({
      ...ref,
      context: { accountId, version, authTimeMs: start.authTimeMs },
      ttlMs: policy.challengeMs,
      authenticationMs: msSince(start, clock),
    });
    if (outcome === 'superseded') throw fail.refused(attempt, user.id, 'revoked_meanwhile');
    emit({ type: 'challenge.created', userId: user.id, ...origin });
    return {
      challenge: challengeTokens.seal(ref),
      expiresInSeconds: Math.floor(policy.challengeMs / 1000),
      methods: factor.consumeRecoveryCode === undefined ? ['totp'] : ['totp', 'recovery_code'],
    };
  };
}
