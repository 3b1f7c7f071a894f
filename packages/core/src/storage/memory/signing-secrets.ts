import type { SealedSecret } from '../webhook-store.ts';

/** The secrets that have not retired; the same array if that is all of them. */
export function signingSecrets(
  secrets: readonly SealedSecret[],
  nowMs: number,
): readonly SealedSecret[] {
  const signs = ({ retiresAtMs }: SealedSecret) => retiresAtMs === null || retiresAtMs > nowMs;
  return secrets.every(signs) ? secrets : secrets.filter(signs);
}
