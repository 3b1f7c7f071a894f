/** Events of access tokens. Without a client: the check sees the `Authorization` of a request alone. */
export type AccessTokenSecurityEvent = {
  /**
   * Access tokens of our own have been rejected. Anybody may send anything else, so that is not reported.
   *
   * Those who subscribe hear the first of each reason at once, then at most one a minute; those who observe hear all.
   */
  readonly type: 'access_token.rejected';
  readonly reason: AccessTokenRejectionReason;
  /** How many were rejected for this reason since the last such event, this one included. */
  readonly count: number;
};

/**
 * Why an access token of our own was rejected. Ours is what one of our keys has signed; and, as `unknown_key`, what has
 * our header and names our issuer, which anybody can write.
 */
export type AccessTokenRejectionReason =
  /** None of `keys.signing` has its `kid`, or that key has retired. */
  | 'unknown_key'
  /** Our key has signed it as something other than an access token (`typ`). */
  | 'wrong_type'
  | 'wrong_issuer'
  | 'wrong_audience'
  /** A claim is missing or of the wrong type. */
  | 'bad_claims'
  /** `iat` or `nbf` is ahead of the clock of this process, by more than the tolerance. */
  | 'not_yet_valid'
  | 'expired'
  /** Its session has been ended, has expired, or is unknown to the storage. */
  | 'session_ended'
  /** The users table no longer has the user, or has disabled them, or the password was changed since. */
  | 'user_refused';
