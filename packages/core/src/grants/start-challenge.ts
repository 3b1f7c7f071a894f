import { otplib } from '../loading/dependencies.ts';
import { preload } from '../loading/preload.ts';
import type { ChallengeTokens } from '../mfa/challenge-token.ts';
import type { UserFactor } from '../mfa/user-factor.ts';
import type { Policy } from '../policy.ts';
import type { Clock } from '../ports/clock.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { randomId } from '../random-id.ts';
import type { ChallengeStore } from '../storage/challenge-store.ts';
import type { AuthenticatedLogin, RejectedLogin } from './authenticated-login.ts';
import { msSince } from './login-start.ts';

/** A challenge in the form that the client gets. */
export interface PendingChallenge {
  readonly challenge: string;
  readonly expiresInSeconds: number;
  readonly methods: readonly ('totp' | 'recovery_code')[];
}

/** A login whose user has yet to prove the second factor, at `POST /token/challenge`. */
export interface ChallengedLogin {
  readonly outcome: 'challenged';
  readonly pending: PendingChallenge;
}

/**
 * Stores a challenge for a login that needs a second factor.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type StartChallenge = (
  login: AuthenticatedLogin,
  factor: UserFactor,
) => Promise<ChallengedLogin | RejectedLogin>;

export interface StartChallengeDeps {
  readonly challenges: Pick<ChallengeStore, 'create'>;
  readonly challengeTokens: ChallengeTokens;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

export function createStartChallenge(deps: StartChallengeDeps): StartChallenge {
  const { challenges, challengeTokens, policy, clock, emit } = deps;

  return async ({ user, start, accountId, version, amr, actor, client }, factor) => {
    const ref = { userId: user.id, challengeId: randomId() };
    const { authTimeMs } = start;
    const { outcome } = await challenges.create({
      context: { accountId, version, authTimeMs, amr, actor },
      ttlMs: policy.challengeMs,
      loginAgeMs: msSince(start, clock),
      ...ref,
    });
    // Since the login began, `loginAgeMs` ago, all sessions and challenges of the user were ended.
    if (outcome === 'stale_login') return { outcome: 'rejected', reason: 'revoked_meanwhile' };
    // The request with the code will need this module.
    void preload([otplib]);
    emit({ type: 'challenge.created', userId: user.id, actor, ...client });
    return {
      outcome: 'challenged',
      pending: {
        challenge: challengeTokens.sign(ref, { accountId, authTimeMs }),
        expiresInSeconds: Math.floor(policy.challengeMs / 1000),
        methods: factor.consumeRecoveryCode === undefined ? ['totp'] : ['totp', 'recovery_code'],
      },
    };
  };
}
