import type { AccessTokenRejectionReason } from '../ports/events/access-token-security-event.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { InvalidTokenReason } from './access-token.ts';

const OURS: Readonly<Record<AccessTokenRejectionReason, true>> = {
  unknown_key: true,
  wrong_type: true,
  wrong_issuer: true,
  wrong_audience: true,
  bad_claims: true,
  not_yet_valid: true,
  expired: true,
  session_ended: true,
  user_refused: true,
};

/** Emits that an access token was rejected, if it is one of our own. */
export function emitRejectedToken(
  reason: InvalidTokenReason | AccessTokenRejectionReason,
  emit: (event: SecurityEvent) => void,
): void {
  if (isOurs(reason)) emit({ type: 'access_token.rejected', reason, count: 1 });
}

function isOurs(reason: string): reason is AccessTokenRejectionReason {
  return Object.hasOwn(OURS, reason);
}
