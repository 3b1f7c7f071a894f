import { serverFault } from '../errors.ts';
import type { AtRestBox } from '../keys/at-rest-box.ts';
import type { MfaStore } from '../storage/mfa-store.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import { totpStepAt } from './totp.ts';
import type { UserFactor } from './user-factor.ts';

/** Factors that users have enrolled here. The store sees their secrets only sealed. */
export interface EnrolledFactors {
  find(userId: string): Promise<UserFactor | null>;
  seal(userId: string, totpSecret: string): string;
  /** @throws {AuthError} `server_error`, a fault of the host: no key of the ring opens it */
  open(userId: string, sealedSecret: string): string;
}

/** Security: a secret is sealed for one user, so that whoever can write to the store cannot give it to another. */
export function createEnrolledFactors(
  store: Pick<MfaStore, 'find' | 'consumeRecoveryCode'>,
  box: AtRestBox,
): EnrolledFactors {
  function open(userId: string, sealedSecret: string): string {
    const secret = box.open(userId, sealedSecret);
    if (secret !== null) return Buffer.from(secret).toString('latin1');
    throw serverFault({
      reason: 'no key of keys.encryption opens the second factor of a user',
    });
  }

  return {
    async find(userId) {
      const factor = await store.find(userId);
      if (factor === null) return null;
      return {
        totpSecret: open(userId, factor.sealedSecret),
        // The code that proved the factor was of this step or the one before. RFC 6238 5.2 allows each code once.
        usedUpToStep: totpStepAt(factor.confirmedAtMs),
        consumeRecoveryCode: (code) =>
          store.consumeRecoveryCode(userId, hashRecoveryCode(userId, code)),
      };
    },
    seal: (userId, totpSecret) => box.seal(userId, Buffer.from(totpSecret, 'latin1')),
    open,
  };
}
