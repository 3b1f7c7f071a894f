import type { AccountIdKind } from '../account-id.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Clock } from '../ports/clock.ts';
import type { AccessTokenRejectionReason } from '../ports/events/access-token-security-event.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { AccessTokenInfo } from './access-token-info.ts';

/** Who issues access tokens, and for whom: `iss` and `aud`. */
export interface TokenAuthority {
  readonly issuer: string;
  readonly audience: string;
}

/** Distinguishes an access token from any other JWT that the same keys may sign (RFC 9068 2.1). */
export const TOKEN_TYPE = 'at+jwt';

/** Longer tokens are rejected unread. Node accepts 16 KiB of headers in all. */
export const ACCESS_TOKEN_MAX_LENGTH = 8192;

/** How far the clock of the process that issued a token may differ from the clock of this process, seconds. */
export interface ClockTolerance {
  /** For how long after `exp` a token is accepted. */
  readonly expirySeconds: number;
  /** How far `iat` and `nbf` may be ahead: no less than `expirySeconds`. */
  readonly startSeconds: number;
}

/** No tolerance after `exp`. Some before `iat`: a process whose clock is behind must accept a new token. */
export const DEFAULT_CLOCK_TOLERANCE: ClockTolerance = { expirySeconds: 0, startSeconds: 5 };

export type AccessTokenOutcome =
  | { readonly outcome: 'valid'; readonly info: AccessTokenInfo; readonly kid: string }
  /** The reason is for logs: clients get the same error for all reasons. */
  | { readonly outcome: 'invalid'; readonly reason: InvalidTokenReason };

export type InvalidTokenReason =
  | 'malformed'
  | 'foreign_header'
  /** The key is unknown, and the token does not claim to be the app's. */
  | 'foreign_key'
  | 'bad_signature'
  | Exclude<AccessTokenRejectionReason, 'session_ended' | 'user_rejected'>;

export interface AccessTokenExpectations extends TokenAuthority {
  readonly keys: SigningKeys;
  readonly scopeTable: ScopeTable;
  readonly clock: Clock;
  readonly tolerance: ClockTolerance;
  /** A token with accounts of the other kind was issued under other options, and is rejected. */
  readonly accountIdKind: AccountIdKind;
}

/**
 * The rejection of a token that is expired or not yet valid, otherwise `undefined`. Called when a token is first
 * verified, and at each later use.
 */
export function rejectByTime(
  info: AccessTokenInfo,
  nowMs: number,
  { expirySeconds, startSeconds }: ClockTolerance,
): Extract<AccessTokenOutcome, { outcome: 'invalid' }> | undefined {
  if (nowMs >= info.expiresAtMs + expirySeconds * 1000) return invalid('expired');
  if (nowMs < info.issuedAtMs - startSeconds * 1000) return invalid('not_yet_valid');
  return undefined;
}

export function invalid(
  reason: InvalidTokenReason,
): Extract<AccessTokenOutcome, { outcome: 'invalid' }> {
  return { outcome: 'invalid', reason };
}
