import type { ChallengeCode } from './challenge-code.ts';
import { verifyTotp } from './totp.ts';
import type { UserFactor } from './user-factor.ts';

/** The result of checking a code. */
export type CodeCheck =
  /** `totpStep`: `null` for a recovery code. `method`: what the code adds to `amr`. */
  | { readonly outcome: 'right'; readonly totpStep: number | null; readonly method: 'otp' | 'mfa' }
  | { readonly outcome: 'wrong_code' | 'step_used' };

/** Checks a code. Consumes a right recovery code; a TOTP code is consumed only when the login is completed. */
export async function checkCode(
  factor: UserFactor,
  code: ChallengeCode,
  nowMs: number,
): Promise<CodeCheck> {
  if (code.kind === 'recovery') {
    const isConsumed = (await factor.consumeRecoveryCode?.(code.code)) ?? false;
    return isConsumed
      ? { outcome: 'right', totpStep: null, method: 'mfa' }
      : { outcome: 'wrong_code' };
  }
  const verified = await verifyTotp(factor.totpSecret, code.digits, nowMs);
  if (verified.outcome === 'wrong') return { outcome: 'wrong_code' };
  if (verified.step <= factor.usedUpToStep) return { outcome: 'step_used' };
  return { outcome: 'right', totpStep: verified.step, method: 'otp' };
}
