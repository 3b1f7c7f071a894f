import type { AccessTokenRejectionReason } from '../ports/events/access-token-security-event.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { InvalidTokenReason } from './access-token.ts';

const REPORTED_REASONS: Readonly<Record<AccessTokenRejectionReason, true>> = {
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

/** Emits that an access token was rejected, if the app has issued it. */
export function emitRejectedToken(
  reason: InvalidTokenReason | AccessTokenRejectionReason,
  emit: (event: SecurityEvent) => void,
): void {
  if (isReported(reason)) emit({ type: 'access_token.rejected', reason, count: 1 });
}

function isReported(reason: string): reason is AccessTokenRejectionReason {
  return Object.hasOwn(REPORTED_REASONS, reason);
}
