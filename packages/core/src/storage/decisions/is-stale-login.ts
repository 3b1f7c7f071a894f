/**
 * Whether a login began before the last `revokeAll`, or in the same millisecond, which may mean before.
 *
 * @param revokedAllAtMs - `undefined` where none is known.
 */
export function isStaleLogin(
  { authenticationMs }: { readonly authenticationMs: number },
  revokedAllAtMs: number | undefined,
  nowMs: number,
): boolean {
  return revokedAllAtMs !== undefined && nowMs - authenticationMs <= revokedAllAtMs;
}
