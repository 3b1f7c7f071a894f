import { otplib } from '../loading/dependencies.ts';

const STEP_SECONDS = 30;

/** 160 bits, as RFC 4226 4 recommends: the output of SHA-1. */
const SECRET_BYTES = 20;

/** 80 bits, because secrets of older systems are that short. RFC 4226 4 requires 128, as `otplib` does by default. */
const MIN_SECRET_BYTES = 10;

export type TotpOutcome =
  /** `step`: the time step of the code, in intervals of 30 s since 1970. */
  { readonly outcome: 'valid'; readonly step: number } | { readonly outcome: 'wrong' };

/**
 * Compares a six-digit code with the codes of the current and the previous time step: RFC 6238 5.2 allows one step of
 * delay. The code of a later step is wrong, because no honest clock shows it.
 *
 * Changes nothing: the store ensures that a step is used once (`ChallengeStore.complete`).
 *
 * @param totpSecret - a result of `readTotpSecret`
 */
export async function verifyTotp(
  totpSecret: string,
  code: string,
  nowMs: number,
): Promise<TotpOutcome> {
  const { verifySync, createGuardrails } = await otplib.load();
  const result = verifySync({
    secret: totpSecret,
    token: code,
    epoch: Math.floor(nowMs / 1000),
    period: STEP_SECONDS,
    epochTolerance: [STEP_SECONDS, 0],
    guardrails: createGuardrails({ MIN_SECRET_BYTES }),
  });
  if (!result.valid || !('epoch' in result)) return { outcome: 'wrong' };
  return { outcome: 'valid', step: Math.floor(result.epoch / STEP_SECONDS) };
}

/** The time step of a time: a number of intervals of 30 s since 1970. */
export function totpStepAt(ms: number): number {
  return Math.floor(ms / (1000 * STEP_SECONDS));
}

/** A new shared secret, base32. */
export async function newTotpSecret(): Promise<string> {
  const { generateSecret } = await otplib.load();
  return generateSecret({ length: SECRET_BYTES });
}
