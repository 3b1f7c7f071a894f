import type { AccessTokenInfo } from '../tokens/access-token-info.ts';

/** For how long a login counts as recent, seconds. */
export const RECENT_SECONDS = 300;

/**
 * Whether a login is recent enough to change a second factor, or to get a step-up scope.
 *
 * Security: somebody who finds an unlocked device, or a token in a log, must not be able to lock the owner out.
 */
export function isRecentLogin(
  { authTimeMs }: Pick<AccessTokenInfo, 'authTimeMs'>,
  nowMs: number,
): boolean {
  return nowMs - authTimeMs <= 1000 * RECENT_SECONDS;
}
