import type { SealedSecret } from '../webhook-store.ts';

/** Those that have not retired; the same array where that is all of them. */
export function signingSecrets(
  secrets: readonly SealedSecret[],
  nowMs: number,
): readonly SealedSecret[] {
  const signs = ({ retiresAtMs }: SealedSecret) => retiresAtMs === null || retiresAtMs > nowMs;
  return secrets.every(signs) ? secrets : secrets.filter(signs);
}
