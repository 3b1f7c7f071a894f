import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Clock } from '../ports/clock.ts';
import type { TokenAuthority } from './access-token-claims.ts';
import type { AccessTokenInfo } from './access-token-info.ts';

/** Tells an access token from any other JWT that the same keys may sign (RFC 9068 2.1). */
export const TOKEN_TYPE = 'at+jwt';

/** Longer tokens are refused unread. Node accepts 16 KiB of headers in all. */
export const ACCESS_TOKEN_MAX_LENGTH = 8192;

/** How far the clock of the process that issued a token may be ahead of ours, seconds. */
export const CLOCK_TOLERANCE_SECONDS = 5;

export type AccessTokenOutcome =
  | { readonly outcome: 'valid'; readonly info: AccessTokenInfo; readonly kid: string }
  /** The reason is for logs: clients are told the same for all of them. */
  | { readonly outcome: 'invalid'; readonly reason: InvalidTokenReason };

export type InvalidTokenReason =
  | 'malformed'
  | 'foreign_header'
  | 'unknown_key'
  | 'bad_signature'
  | 'bad_claims'
  | 'not_yet_valid'
  | 'expired';

export interface AccessTokenExpectations extends TokenAuthority {
  readonly keys: SigningKeys;
  readonly clock: Clock;
}

/**
 * Refuses a token that is expired or not yet valid, when it is first verified and whenever it is used again.
 *
 * Expiry: to the millisecond, as the token says. Only `iat` has a tolerance: without it, a fresh token would be refused
 * if the clock of its issuer is ahead.
 */
export function untimely(
  info: AccessTokenInfo,
  nowMs: number,
): Extract<AccessTokenOutcome, { outcome: 'invalid' }> | undefined {
  if (nowMs >= info.expiresAtMs) return invalid('expired');
  if (nowMs < info.issuedAtMs - CLOCK_TOLERANCE_SECONDS * 1000) return invalid('not_yet_valid');
  return undefined;
}

export function invalid(
  reason: InvalidTokenReason,
): Extract<AccessTokenOutcome, { outcome: 'invalid' }> {
  return { outcome: 'invalid', reason };
}
