import type { ChallengeContext } from '../storage/challenge-store.ts';
import { type GrantScene, grantScene } from './grant-scene.test.support.ts';

let nth = 0;

/** A challenge that ada's password has earned, unless the change says something else. */
export async function challenged(
  scene: GrantScene,
  change: Partial<ChallengeContext> = {},
): Promise<string> {
  scene.addFactor();
  const { challenges, challengeTokens, policy, clock } = scene.deps;
  nth += 1;
  const challengeId = Buffer.from(String(nth).padStart(16, '0')).toString('base64url');
  const ref = { userId: 'ada', challengeId };
  await challenges.create({
    ...ref,
    context: {
      accountId: null,
      version: 'v1',
      authTimeMs: clock.nowMs(),
      amr: ['pwd'],
      actor: 'user',
      ...change,
    },
    ttlMs: policy.challengeMs,
    authenticationMs: 0,
  });
  return challengeTokens.seal(ref);
}

export async function scenery(mfa: Parameters<typeof grantScene>[0] = {}) {
  const scene = grantScene(mfa);
  return { scene, challenge: await challenged(scene) };
}
