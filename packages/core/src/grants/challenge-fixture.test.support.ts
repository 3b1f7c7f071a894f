import type { ChallengeContext } from '../storage/challenge-store.ts';
import {
  type ChallengeGrantDeps,
  type ChallengeGrantRequest,
  createChallengeGrant,
} from './challenge-grant.ts';
import { CLIENT, type GrantFixture, grantFixture } from './grant-fixture.test.support.ts';

export const DEAD = { code: 'invalid_grant', description: 'The challenge is not valid.' };
export const WRONG_CODE = { code: 'invalid_grant', description: 'The code is wrong.' };
export const RECOVERY_CODE = 'AAAA-BBBB-CCCC-DDDD';

let i = 0;

/** A challenge that ada's password has earned, unless the change says something else. */
export async function challenged(
  fixture: GrantFixture,
  change: Partial<ChallengeContext> = {},
): Promise<string> {
  fixture.addFactor();
  const { challenges, challengeTokens, policy, clock } = fixture.deps;
  i += 1;
  const challengeId = Buffer.from(String(i).padStart(16, '0')).toString('base64url');
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
    authenticationMs: 0,
  });
  return challengeTokens.sign(ref, context);
}

export async function pendingChallenge(mfa: Parameters<typeof grantFixture>[0] = {}) {
  const fixture = grantFixture(mfa);
  return { fixture, challenge: await challenged(fixture) };
}

/** Answers a challenge, with some of its deps replaced. */
export function answer(
  fixture: GrantFixture,
  challenge: string,
  request: Partial<ChallengeGrantRequest> = {},
  replaced: Partial<ChallengeGrantDeps> = {},
) {
  return createChallengeGrant({ ...fixture.deps, ...replaced })({
    challenge,
    code: fixture.codeIn(0),
    scopes: ['user'],
    expirationSeconds: undefined,
    client: CLIENT,
    ...request,
  });
}

/** The store is an instance of a class, so spreading it would lose the methods. */
export function methodsOf({ deps }: GrantFixture): ChallengeGrantDeps['challenges'] {
  const { challenges } = deps;
  return {
    reserveAttempt: (...request) => challenges.reserveAttempt(...request),
    complete: (...request) => challenges.complete(...request),
  };
}
