import type { AccountId } from '../account-id.ts';
import type { SecretRing } from '../keys/secret-ring.ts';
import type { ChallengeRef } from '../storage/challenge-store.ts';
import { createTokenSigner } from '../tokens/signed-token.ts';

const PREFIX = 'lh_mc_';
const CHALLENGE_ID_BYTES = 16;
/** Separates the user id from the login: UTF-8 has no such byte. */
const END_OF_USER = 0xff;

/** The login of a challenge, as `accessTokenClaims` gets it. */
export interface LoginOfChallenge {
  readonly accountId: AccountId | null;
  readonly authTimeMs: number;
}

/** The content of a challenge token. */
export interface ChallengeTokenContent {
  readonly ref: ChallengeRef;
  /** `null`: only the stored challenge has the login. */
  readonly login: LoginOfChallenge | null;
}

/** The tokens by which clients refer to challenges. Only the store knows whether a challenge is still pending. */
export interface ChallengeTokens {
  sign(ref: ChallengeRef, login: LoginOfChallenge): string;
  /** Returns `null` for a token that no secret of the ring has signed. Does not read the storage. */
  verify(token: string): ChallengeTokenContent | null;
}

/**
 * @param hasLogin - whether tokens contain the login too: needed if the app adds claims, which are computed before an
 * attempt is counted
 */
export function createChallengeTokens(ring: SecretRing, hasLogin: boolean): ChallengeTokens {
  const signer = createTokenSigner(ring, PREFIX);
  return {
    sign({ challengeId, userId }, { accountId, authTimeMs }) {
      const id = [Buffer.from(challengeId, 'base64url'), Buffer.from(userId)];
      const login = [Buffer.of(END_OF_USER), Buffer.from(JSON.stringify([accountId, authTimeMs]))];
      return signer.sign(Buffer.concat(hasLogin ? [...id, ...login] : id));
    },
    verify(token) {
      const payload = signer.verify(token)?.payload;
      if (payload === undefined || payload.length <= CHALLENGE_ID_BYTES) return null;
      const challengeId = payload.toString('base64url', 0, CHALLENGE_ID_BYTES);
      const end = payload.indexOf(END_OF_USER, CHALLENGE_ID_BYTES);
      if (end === -1) {
        return {
          ref: { challengeId, userId: payload.toString('utf8', CHALLENGE_ID_BYTES) },
          login: null,
        };
      }
      // The content of an authentic token need not be validated.
      const [accountId, authTimeMs] = JSON.parse(payload.toString('utf8', end + 1)) as [
        AccountId | null,
        number,
      ];
      const userId = payload.toString('utf8', CHALLENGE_ID_BYTES, end);
      return { ref: { challengeId, userId }, login: { accountId, authTimeMs } };
    },
  };
}
