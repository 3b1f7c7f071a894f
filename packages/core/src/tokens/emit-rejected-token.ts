import type { AccessTokenRejectionReason } from '../ports/events/access-token-security-event.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { InvalidTokenReason } from './access-token.ts';

/** Reasons to reject strings that anybody can make up, in any number. */
const UNREPORTED: Readonly<Record<Exclude<InvalidTokenReason, AccessTokenRejectionReason>, true>> =
  {
    malformed: true,
    foreign_header: true,
    foreign_key: true,
    bad_signature: true,
  };

/** Emits that an access token was rejected, if the app has issued it. */
export function emitRejectedToken(
  reason: InvalidTokenReason | AccessTokenRejectionReason,
  emit: (event: SecurityEvent) => void,
): void {
  if (isReported(reason)) emit({ type: 'access_token.rejected', reason, count: 1 });
}

function isReported(
  reason: InvalidTokenReason | AccessTokenRejectionReason,
): reason is AccessTokenRejectionReason {
  return !Object.hasOwn(UNREPORTED, reason);
}
