import type { SecretRing } from '../keys/secret-ring.ts';
import type { ChallengeRef } from '../storage/challenge-store.ts';
import { createSealer } from '../tokens/sealed-token.ts';

const PREFIX = 'lh_mc_';
const CHALLENGE_ID_BYTES = 16;

/** The identifier of a pending challenge, as the client holds it. Only the store knows if it is still pending. */
export interface ChallengeTokens {
  seal(ref: ChallengeRef): string;
  /** `null` for whatever we did not make. Asks no storage. */
  open(token: string): ChallengeRef | null;
}

export function createChallengeTokens(ring: SecretRing): ChallengeTokens {
  const sealer = createSealer(ring, PREFIX);
  return {
    seal: ({ challengeId, userId }) =>
      sealer.seal(Buffer.concat([Buffer.from(challengeId, 'base64url'), Buffer.from(userId)])),
    open(token) {
      const payload = sealer.open(token)?.payload;
      if (payload === undefined || payload.length <= CHALLENGE_ID_BYTES) return null;
      return {
        challengeId: payload.toString('base64url', 0, CHALLENGE_ID_BYTES),
        userId: payload.toString('utf8', CHALLENGE_ID_BYTES),
      };
    },
  };
}
