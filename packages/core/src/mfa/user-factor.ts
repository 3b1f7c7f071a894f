import { unavailable } from '../errors.ts';
import type { AnyUser, UserStore } from '../users/users.ts';
import type { EnrolledFactors } from './enrolled-factors.ts';
import { readTotpSecret, unreadableSecret } from './totp-secret.ts';

/** The second factor of a user, from the user store or the storage. */
export interface UserFactor {
  /** Base32, of 10 to 64 bytes, in capitals without padding. */
  readonly totpSecret: string;
  /** The enrolment has used up the codes of this TOTP step and earlier steps. `0`: it has used up no code. */
  readonly usedUpToStep: number;
  /**
   * Consumes a recovery code (16 characters of base32 in upper case). Absent: the factor has no recovery codes.
   *
   * Atomicity: exactly one of several parallel calls with the same code returns `true`.
   */
  readonly consumeRecoveryCode?: (code: string) => Promise<boolean>;
}

/**
 * The factor that a login of the user needs; `null` if it needs none.
 *
 * Security: rejects if the factor cannot be read, so that nobody logs in without it.
 *
 * @throws {AuthError} `temporarily_unavailable`, `server_error`
 */
export type FactorOf = (user: AnyUser) => Promise<UserFactor | null>;

/**
 * The factor of the user store takes precedence over an enrolled factor, which is not even read then.
 *
 * @param enrolled - the factors in the storage; absent: the storage keeps none
 */
export function createFactorOf(
  users: Pick<UserStore, 'consumeRecoveryCode'>,
  enrolled: Pick<EnrolledFactors, 'find'> | undefined,
): FactorOf {
  return async ({ id, mfa }) => {
    if (!mfa) return (await enrolled?.find(id)) ?? null;
    const reading = readTotpSecret(mfa.totpSecret);
    if (reading.outcome === 'unreadable') {
      // The look-up of the user has emitted this as a fault.
      const cause = unreadableSecret(id, reading);
      throw unavailable({ reason: 'the second factor cannot be read', cause });
    }
    const { consumeRecoveryCode } = users;
    return {
      totpSecret: reading.secret,
      usedUpToStep: 0,
      ...(consumeRecoveryCode && {
        consumeRecoveryCode: (code: string) => consumeRecoveryCode(id, code),
      }),
    };
  };
}
