import type { AccessTokenRefusalReason } from '../ports/events/access-token-security-event.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { InvalidTokenReason } from './access-token.ts';

const OURS: Readonly<Record<AccessTokenRefusalReason, true>> = {
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

/** Emits that an access token was refused, if it is one of our own. */
export function emitRefusedToken(
  reason: InvalidTokenReason | AccessTokenRefusalReason,
  emit: (event: SecurityEvent) => void,
): void {
  if (isOurs(reason)) emit({ type: 'access_token.refused', reason, count: 1 });
}

function isOurs(reason: string): reason is AccessTokenRefusalReason {
  return Object.hasOwn(OURS, reason);
}
