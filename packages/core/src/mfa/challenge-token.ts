import type { AccountId } from '../account-id.ts';
import type { SecretRing } from '../keys/secret-ring.ts';
import type { ChallengeRef } from '../storage/challenge-store.ts';
import { createTokenSigner } from '../tokens/signed-token.ts';

const PREFIX = 'lh_mc_';
const CHALLENGE_ID_BYTES = 16;

/** The login that waits for the challenge, as far as it must be known before an attempt is counted. */
export interface ChallengedLoginRef extends ChallengeRef {
  readonly accountId: AccountId | null;
  readonly authTimeMs: number;
}

/** The identifier of a pending challenge, as the client holds it. Only the store knows if it is still pending. */
export interface ChallengeTokens {
  sign(login: ChallengedLoginRef): string;
  /** `null` for a token that no secret of the ring signed. Asks no storage. */
  verify(token: string): ChallengedLoginRef | null;
}

export function createChallengeTokens(ring: SecretRing): ChallengeTokens {
  const signer = createTokenSigner(ring, PREFIX);
  return {
    sign: ({ challengeId, userId, accountId, authTimeMs }) =>
      signer.sign(
        Buffer.concat([
          Buffer.from(challengeId, 'base64url'),
          Buffer.from(JSON.stringify([userId, accountId, authTimeMs])),
        ]),
      ),
    verify(token) {
      const payload = signer.verify(token)?.payload;
      if (payload === undefined || payload.length <= CHALLENGE_ID_BYTES) return null;
      const challengeId = payload.toString('base64url', 0, CHALLENGE_ID_BYTES);
      // Its shape need not be checked: we have signed it.
      const [userId, accountId, authTimeMs] = JSON.parse(
        payload.toString('utf8', CHALLENGE_ID_BYTES),
      ) as [string, AccountId | null, number];
      return { challengeId, userId, accountId, authTimeMs };
    },
  };
}
