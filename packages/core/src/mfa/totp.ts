const STEP_SECONDS = 30;

/** RFC 4226 4 recommends as much as SHA-1 makes: 160 bits. */
const SECRET_BYTES = 20;

export type TotpOutcome =
  /** The code of `step`, counted in 30 s since 1970. */
  { readonly outcome: 'valid'; readonly step: number } | { readonly outcome: 'wrong' };

/**
 * Compares a six-digit code with the current time step and the one before it, and no later one: RFC 6238
 * 5.2 allows one step of delay, and a code from the future is nobody's honest clock.
 *
 * Pure: that a step is used once is the store's to say (`ChallengeStore.complete`).
 *
 * @param totpSecret what `isTotpSecret` has let pass
 */
export async function verifyTotp(
  totpSecret: string,
  code: string,
  nowMs: number,
): Promise<TotpOutcome> {
  // Loaded when first used: most processes start without anybody answering a challenge.
  const { verifySync } = await import('otplib');
  const result = verifySync({
    secret: totpSecret,
    token: code,
    epoch: Math.floor(nowMs / 1000),
    period: STEP_SECONDS,
    epochTolerance: [STEP_SECONDS, 0],
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
  const { generateSecret } = await import('otplib');
  return generateSecret({ length: SECRET_BYTES });
}
