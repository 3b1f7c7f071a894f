import { otplib } from '../loading/dependencies.ts';

const STEP_SECONDS = 30;

/** 160 bits, as RFC 4226 4 recommends: the output of SHA-1. */
const SECRET_BYTES = 20;

/** 80 bits, as in secrets of older systems. The library's default is 128, as RFC 4226 4 demands. */
const MIN_SECRET_BYTES = 10;

export type TotpOutcome =
  /** The code of `step`, counted in 30 s since 1970. */
  { readonly outcome: 'valid'; readonly step: number } | { readonly outcome: 'wrong' };

/**
 * Compares a six-digit code with the current time step and the one before it, and no later one: RFC 6238 5.2 allows one
 * step of delay, and no honest clock shows a code from the future.
 *
 * Pure: the store ensures that a step is used once (`ChallengeStore.complete`).
 *
 * @param totpSecret - as `readTotpSecret` returns it
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

/** The step that a time falls into, counted in 30 s since 1970. */
export function totpStepAt(ms: number): number {
  return Math.floor(ms / (1000 * STEP_SECONDS));
}

/** A new shared secret, base32. */
export async function newTotpSecret(): Promise<string> {
  const { generateSecret } = await otplib.load();
  return generateSecret({ length: SECRET_BYTES });
}
