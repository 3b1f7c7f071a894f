import type { AccountId } from '../account-id.ts';
import type { SecretRing } from '../keys/secret-ring.ts';
import type { ChallengeRef } from '../storage/challenge-store.ts';
import { createTokenSigner } from '../tokens/signed-token.ts';

const PREFIX = 'lh_mc_';
const CHALLENGE_ID_BYTES = 16;
/** Ends the user id: UTF-8 has no such byte. */
const END_OF_USER = 0xff;

/** What the host's claims are about. */
export interface LoginOfChallenge {
  readonly accountId: AccountId | null;
  readonly authTimeMs: number;
}

/** A pending challenge, as its token names it. */
export interface NamedChallenge {
  readonly ref: ChallengeRef;
  /** `null`: the token does not say; the stored challenge does. */
  readonly login: LoginOfChallenge | null;
}

/** The identifier of a pending challenge, as the client holds it. Only the store knows if it is still pending. */
export interface ChallengeTokens {
  sign(ref: ChallengeRef, login: LoginOfChallenge): string;
  /** `null` for a token that no secret of the ring signed. Asks no storage. */
  verify(token: string): NamedChallenge | null;
}

/**
 * @param namesLogin - whether tokens name their login too: of an app that adds claims, which are asked for before an
 * attempt is counted
 */
export function createChallengeTokens(ring: SecretRing, namesLogin: boolean): ChallengeTokens {
  const signer = createTokenSigner(ring, PREFIX);
  return {
    sign({ challengeId, userId }, { accountId, authTimeMs }) {
      const id = [Buffer.from(challengeId, 'base64url'), Buffer.from(userId)];
      const login = [Buffer.of(END_OF_USER), Buffer.from(JSON.stringify([accountId, authTimeMs]))];
      return signer.sign(Buffer.concat(namesLogin ? [...id, ...login] : id));
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
      // Its shape need not be checked: we have signed it.
      const [accountId, authTimeMs] = JSON.parse(payload.toString('utf8', end + 1)) as [
        AccountId | null,
        number,
      ];
      const userId = payload.toString('utf8', CHALLENGE_ID_BYTES, end);
      return { ref: { challengeId, userId }, login: { accountId, authTimeMs } };
    },
  };
}
