import { unavailable } from '../errors.ts';
import type { AnyUser, UserStore } from '../users/users.ts';
import type { EnrolledFactors } from './enrolled-factors.ts';
import { readTotpSecret, unreadableSecret } from './totp-secret.ts';

/** The second factor of a user, wherever it is kept. */
export interface UserFactor {
  /** Base32, of 10 to 64 bytes, in capitals without padding. */
  readonly totpSecret: string;
  /** Codes of this TOTP step and earlier ones were used up when the factor was enrolled. `0`: none were. */
  readonly usedUpToStep: number;
  /**
   * Uses up a recovery code, given as 16 characters of base32 in upper case. Absent: there are none.
   *
   * Atomicity: of parallel calls with one code exactly one returns `true`.
   */
  readonly consumeRecoveryCode?: (code: string) => Promise<boolean>;
}

/**
 * The factor that a login of the user needs; `null`: none.
 *
 * Security: rejects if it cannot be read. A user whose factor cannot be read is not let in without it.
 *
 * @throws {AuthError} `temporarily_unavailable`, `server_error`
 */
export type FactorOf = (user: AnyUser) => Promise<UserFactor | null>;

/**
 * The user store’s factor takes precedence over one that was enrolled here, and then the storage is not asked.
 *
 * @param enrolled - Absent: the storage keeps none.
 */
export function createFactorOf(
  users: Pick<UserStore, 'consumeRecoveryCode'>,
  enrolled: Pick<EnrolledFactors, 'find'> | undefined,
): FactorOf {
  return async ({ id, mfa }) => {
    if (!mfa) return (await enrolled?.find(id)) ?? null;
    const read = readTotpSecret(mfa.totpSecret);
    if (read.outcome === 'unreadable') {
      // Its fault was emitted as the user was looked up.
      const cause = unreadableSecret(id, read);
      throw unavailable({ reason: 'the second factor cannot be read', cause });
    }
    const { consumeRecoveryCode } = users;
    return {
      totpSecret: read.secret,
      usedUpToStep: 0,
      ...(consumeRecoveryCode && {
        consumeRecoveryCode: (code: string) => consumeRecoveryCode(id, code),
      }),
    };
  };
}
