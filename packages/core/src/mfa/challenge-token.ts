import type { SecretRing } from '../keys/secret-ring.ts';
import type { ChallengeRef } from '../storage/challenge-store.ts';
import { createTokenSigner } from '../tokens/signed-token.ts';

const PREFIX = 'lh_mc_';
const CHALLENGE_ID_BYTES = 16;

/** The identifier of a pending challenge, as the client holds it. Only the store knows if it is still pending. */
export interface ChallengeTokens {
  sign(ref: ChallengeRef): string;
  /** `null` for whatever we did not make. Asks no storage. */
  verify(token: string): ChallengeRef | null;
}

export function createChallengeTokens(ring: SecretRing): ChallengeTokens {
  const signer = createTokenSigner(ring, PREFIX);
  return {
    sign: ({ challengeId, userId }) =>
      signer.sign(Buffer.concat([Buffer.from(challengeId, 'base64url'), Buffer.from(userId)])),
    verify(token) {
      const payload = signer.verify(token)?.payload;
      if (payload === undefined || payload.length <= CHALLENGE_ID_BYTES) return null;
      return {
        challengeId: payload.toString('base64url', 0, CHALLENGE_ID_BYTES),
        userId: payload.toString('utf8', CHALLENGE_ID_BYTES),
      };
    },
  };
}
