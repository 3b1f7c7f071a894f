import { serverFault } from '../errors.ts';
import type { SecretCipher } from '../keys/secret-cipher.ts';
import type { EnrolledFactor, MfaStore } from '../storage/mfa-store.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import { totpStepAt } from './totp.ts';
import type { UserFactor } from './user-factor.ts';

/** The factors that users have enrolled. The store gets their secrets only encrypted. */
export interface EnrolledFactors {
  find(userId: string): Promise<UserFactor | null>;
  /** @throws {AuthError} as `decrypt` */
  toUserFactor(userId: string, factor: EnrolledFactor): UserFactor;
  encrypt(userId: string, totpSecret: string): string;
  /** @throws {AuthError} `server_error`, a fault of the host, if no key of the ring decrypts the secret */
  decrypt(userId: string, encryptedSecret: string): string;
}

/**
 * Security: a secret is encrypted for one user, so that somebody who can write to the store cannot give the secret to
 * another user.
 */
export function createEnrolledFactors(
  store: Pick<MfaStore, 'find' | 'consumeRecoveryCode'>,
  cipher: SecretCipher,
): EnrolledFactors {
  function decrypt(userId: string, encryptedSecret: string): string {
    const secret = cipher.decrypt(userId, encryptedSecret);
    if (secret !== null) return Buffer.from(secret).toString('latin1');
    throw serverFault({
      reason: 'no key of keys.encryption decrypts the second factor of a user',
    });
  }

  function toUserFactor(userId: string, factor: EnrolledFactor): UserFactor {
    return {
      totpSecret: decrypt(userId, factor.encryptedSecret),
      // RFC 6238 5.2 allows each code once. The code that confirmed the enrolment was of this step or the one before.
      usedUpToStep: totpStepAt(factor.confirmedAtMs),
      consumeRecoveryCode: (code) =>
        store.consumeRecoveryCode(userId, hashRecoveryCode(userId, code)),
    };
  }

  return {
    async find(userId) {
      const factor = await store.find(userId);
      return factor === null ? null : toUserFactor(userId, factor);
    },
    toUserFactor,
    encrypt: (userId, totpSecret) => cipher.encrypt(userId, Buffer.from(totpSecret, 'latin1')),
    decrypt,
  };
}
