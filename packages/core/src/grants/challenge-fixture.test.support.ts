import type { ChallengeContext } from '../storage/challenge-store.ts';
import {
  type ChallengeGrantDeps,
  type ChallengeGrantRequest,
  createChallengeGrant,
} from './challenge-grant.ts';
import { CLIENT, type GrantFixture, grantFixture } from './grant-fixture.test.support.ts';

export const INVALID_CHALLENGE = {
  code: 'invalid_grant',
  description: 'The challenge is not valid.',
};
export const WRONG_CODE = { code: 'invalid_grant', description: 'The code is wrong.' };
export const RECOVERY_CODE = 'AAAA-BBBB-CCCC-DDDD';
/** After this time, the authenticator app shows another code. */
export const TOTP_STEP_MS = 30_000;

let challengeCount = 0;

/** Stores a challenge of a login by ada's password, unless `change` says otherwise; returns its token. */
export async function createChallenge(
  fixture: GrantFixture,
  change: Partial<ChallengeContext> = {},
): Promise<string> {
  fixture.addFactor();
  const { challenges, challengeTokens, policy, clock } = fixture.deps;
  challengeCount += 1;
  const idText = String(challengeCount).padStart(16, '0');
  const challengeId = Buffer.from(idText).toString('base64url');
  const ref = { userId: 'ada', challengeId };
  const context: ChallengeContext = {
    accountId: null,
    version: 'v1',
    authTimeMs: clock.nowMs(),
    amr: ['pwd'],
    actor: 'user',
    ...change,
  };
  await challenges.create({
    ...ref,
    context,
    ttlMs: policy.challengeMs,
    loginAgeMs: 0,
  });
  return challengeTokens.sign(ref, context);
}

export async function pendingChallenge(options: Parameters<typeof grantFixture>[0] = {}) {
  const fixture = grantFixture(options);
  return { fixture, challenge: await createChallenge(fixture) };
}

/** Answers a challenge, by a grant with these dependencies replaced. */
export function answer(
  fixture: GrantFixture,
  challenge: string,
  request: Partial<ChallengeGrantRequest> = {},
  replacedDeps: Partial<ChallengeGrantDeps> = {},
) {
  return createChallengeGrant({ ...fixture.deps, ...replacedDeps })({
    challenge,
    code: fixture.codeIn(0),
    scopes: ['user'],
    expirationSeconds: undefined,
    client: CLIENT,
    ...request,
  });
}

/** The methods of the store as an object that can be spread, which an instance of a class cannot. */
export function methodsOf({ deps }: GrantFixture): ChallengeGrantDeps['challenges'] {
  const { challenges } = deps;
  return {
    reserveAttempt: (...request) => challenges.reserveAttempt(...request),
    complete: (...request) => challenges.complete(...request),
  };
}
