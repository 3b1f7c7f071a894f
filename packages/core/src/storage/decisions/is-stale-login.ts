/**
 * Whether a login began before the last `revokeAll`. The same millisecond counts as before, because the order is
 * unknown.
 *
 * @param revokedAllAtMs - `undefined`: the store knows of no `revokeAll`
 */
export function isStaleLogin(
  { loginAgeMs }: { readonly loginAgeMs: number },
  revokedAllAtMs: number | undefined,
  nowMs: number,
): boolean {
  return revokedAllAtMs !== undefined && nowMs - loginAgeMs <= revokedAllAtMs;
}
